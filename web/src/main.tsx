// The entry: files of data call `hakariBoard(name, payload)`; the board is drawn when its core has come.
import { effect } from "@preact/signals";
import { render } from "preact";
import { App } from "./app";
import { core, onlyClosed } from "./board";
import "./board.css";
import { file, receive, type Core } from "./data";
import { bindAddress } from "./state";

declare global {
  interface Window {
    hakariBoard: typeof receive;
    hakariClosed: (on: boolean) => void;
  }
}

window.hakariBoard = receive;
window.hakariClosed = (on) => (onlyClosed.value = on);
let drawn = false;

effect(() => {
  const loaded = file<Core>("core");
  if (!loaded || drawn) return;
  drawn = true;
  core.value = loaded;
  bindAddress();
  const place = document.getElementById("board")!;
  place.textContent = "";
  render(<App />, place);
});

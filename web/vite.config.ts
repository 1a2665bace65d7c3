import { defineConfig } from "vite";

// One classic script and one style sheet, with names that never change: they ship in the Python package as they are.
export default defineConfig({
  build: {
    outDir: "../src/hakari/site/data",
    emptyOutDir: false,
    target: "es2022",
    modulePreload: false,
    cssCodeSplit: false,
    rollupOptions: {
      input: "src/main.tsx",
      output: { format: "iife", entryFileNames: "board.js", assetFileNames: "board.[ext]" },
    },
  },
});

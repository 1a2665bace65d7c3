"""nano"""

/*
 * What this browser remembers between two visits: the newest head that it verified, and the key that the auditor
 * expects.
 */

const HEAD = 'daybook-audit-head'
const PINNED = 'daybook-audit-key'

/**
 * The newest head that was verified; undefined before the first. A head that cannot be read counts as none, because the
 * log is checked again anyway.
 */
export const remembered = () => {
  try {
    return JSON.parse(localStorage.getItem(HEAD) ?? 'null') ?? undefined
  } catch {
    return undefined
  }
}

export const remember = (head) => localStorage.setItem(HEAD, JSON.stringify(head))

export const forgetHead = () => localStorage.removeItem(HEAD)

/** The public key or its fingerprint, as it was typed. */
export const pinned = () => localStorage.getItem(PINNED) ?? ''

export const pin = (text) => {
  if (text) localStorage.setItem(PINNED, text)
  else localStorage.removeItem(PINNED)
}

export const isPinnable = (text) => isPrint(text) || /^[A-Za-z0-9+/]{43}=$/.test(text)

/** Whether text names a key: as base64, or by its fingerprint, where spaces and capital letters do not matter. */
export const names = (text, publicKey, print) => text === publicKey || (isPrint(text) && plain(text) === plain(print))

const isPrint = (text) => /^[0-9a-f]{32}$/.test(plain(text))

const plain = (text) => text.toLowerCase().replace(/\s/g, '')

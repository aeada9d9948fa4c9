import { html } from 'htm/preact'

/**
 * A mark for each coin, so that people find theirs at a glance. The marks are our own: plain shapes in a colour, and no
 * artwork of others. They stand beside the name, so they say nothing to who hears the page.
 */
export const coinIcon = (symbol: string) => {
  const { colour, shape } = marks[symbol] ?? { colour: hueOf(symbol), shape: letter(symbol) }
  return html`
    <svg class="coin-icon" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <circle cx="16" cy="16" r="16" fill=${colour} />
      ${shape}
    </svg>
  `
}

/** The line of a drawn mark; each is drawn with one path. */
const drawn = (path: string) =>
  html`<path d=${path} fill="none" stroke="#fff" stroke-width="2.4" stroke-linecap="round" stroke-linejoin="round" />`

const letter = (symbol: string) => html`
  <text x="16" y="16.5" fill="#fff" font-size="16" font-weight="700" text-anchor="middle" dominant-baseline="central" font-family="system-ui, sans-serif">
    ${[...symbol.replace(/[^\p{L}\p{N}]/gu, '')][0] ?? '?'}
  </text>
`

/** One row for each coin that we know; a token of a seller's own has its letter. */
const marks: Readonly<Record<string, { readonly colour: string; readonly shape: unknown }>> = {
  BTC: {
    colour: '#a85f00',
    shape: drawn('M12 9v14M12 9h5a3.5 3.5 0 0 1 0 7h-5M17 16a3.5 3.5 0 0 1 0 7h-5M15 6.500v2.500M15 23v2.500'),
  },
  LTC: { colour: '#44566c', shape: drawn('M15 8l-3 15h9M10 18l8-3') },
  ETH: { colour: '#4a5bb5', shape: drawn('M16 6l6.500 10L16 26 9.500 16zM9.500 16l6.500 3 6.500-3') },
  BNB: { colour: '#7d6200', shape: drawn('M16 8l8 8-8 8-8-8zM16 13l3 3-3 3-3-3z') },
  POL: { colour: '#6b3fb8', shape: drawn('M16 7l7.500 4.500v9L16 25l-7.500-4.500v-9z') },
  AVAX: { colour: '#b3262e', shape: drawn('M16 8l9 15H7zM16 16v3') },
  SOL: { colour: '#126b5f', shape: drawn('M11 10h12l-2.500 3h-12M8.500 14.500h12l2.500 3H11M11 19h12l-2.500 3h-12') },
  TRX: { colour: '#9d1f2f', shape: drawn('M8 9l15 3.500-8 12zM8 9l7 15.500M23 12.500l-9 2') },
  TON: { colour: '#0a6a9e', shape: drawn('M9 10h14l-7 13zM16 10v13') },
  USDC: {
    colour: '#1f5fa8',
    shape: drawn(
      'M20 12.500c-.800-1.800-2.200-2.500-4-2.500-2.300 0-4 1.200-4 3s1.500 2.600 4 3 4 1.300 4 3.200-1.700 3-4 3c-1.900 0-3.400-.800-4.200-2.600M16 7.500v17',
    ),
  },
  USDT: { colour: '#1b6e5a', shape: drawn('M9.500 10h13M16 10v14M9.500 15.500c4 2 9 2 13 0') },
  TEST: { colour: '#6b2fb3', shape: drawn('M13 8h6M14.500 8v6L9.500 23h13l-5-9V8') },
}

/** The same token always has the same colour; white is readable on each. */
const hueOf = (symbol: string): string => {
  const number = [...symbol].reduce((sum, each) => (sum * 31 + (each.codePointAt(0) ?? 0)) % HUES.length, 7)
  return HUES[number] ?? HUES[0]
}
const HUES = ['#5b4a8a', '#1d6172', '#7a4a2a', '#3d6630', '#8a3a5d', '#4a5560'] as const

import { html } from 'htm/preact'
import { encode } from 'uqr'

/** Light modules around the code: the standard asks for four, and cameras do need them on a dark page. */
const QUIET_ZONE = 4

/** A QR code as one path; black on white in every colour scheme, because many cameras read no other. */
export const qrCode = (text: string, label: string) => {
  const { data, size } = encode(text, { ecc: 'M', border: QUIET_ZONE })
  return html`
    <svg class="qr" viewBox=${`0 0 ${size} ${size}`} role="img" aria-label=${label} shape-rendering="crispEdges">
      <rect width=${size} height=${size} fill="#fff" />
      <path fill="#000" d=${data.map(rowPath).join('')} />
    </svg>
  `
}

/** The dark modules of a row, those side by side as one. */
const rowPath = (row: readonly boolean[], y: number): string => {
  let path = ''
  for (let x = 0; x < row.length; x++) {
    if (!row[x]) continue
    const from = x
    while (row[x + 1]) x++
    path += `M${from} ${y}h${x - from + 1}v1H${from}z`
  }
  return path
}

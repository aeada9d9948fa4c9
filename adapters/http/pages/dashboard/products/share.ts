import { html } from 'htm/preact'
import { qrCode } from '../../qr.ts'
import type { Locale } from '../messages/locale.ts'
import { copyButton } from '../parts/address.ts'
import { dialog } from '../parts/notices.ts'
import { linesRow } from '../parts/other-rows.ts'

/** How a seller passes a link on: the link itself, its QR code, and HTML for a page elsewhere. */

export type SharedLink = {
  /** What is sold, as its seller calls it. */
  readonly title: string
  readonly url: string
  /** "$12.50"; undefined where the payer chooses. */
  readonly price: string | undefined
}

const EMBED_MAX = 5_000

export const shareCard = ({ words }: Locale, { title, url, price }: SharedLink) => {
  const { links, parts } = words
  const code = payButton(url, links.buttonText(price ?? ''))
  return html`
    <section class="card" aria-labelledby="share">
      <h2 id="share">${links.share}</h2>
      <p><a class="long" href=${url} target="_blank" rel="noopener">${url}</a>${' '}${copyButton(parts, url)}</p>
      ${dialog(links.qr, html`<p>${links.qrText}</p>${qrCode(url, links.qrOf(title))}`)}
      ${dialog(
        links.embed,
        html`
          <p>${links.embedText}</p>
          ${linesRow({ name: 'embed', label: links.embedLabel, value: code, lines: 4, maxlength: EMBED_MAX, isFixed: true })}
          <p>${copyButton(parts, code, links.embedLabel)}</p>
        `,
      )}
    </section>
  `
}

/**
 * A button for a page elsewhere: a plain link, so that it needs no script of ours, and no leave of that page to run
 * one.
 */
const payButton = (url: string, text: string): string =>
  `<a href="${escaped(url)}" target="_blank" rel="noopener" style="display:inline-block;padding:.75em 1.25em;` +
  `border-radius:.4em;background:#1d4ed8;color:#fff;font:600 1rem/1.2 system-ui,sans-serif;text-decoration:none">` +
  `${escaped(text)}</a>`

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

import { html } from 'htm/preact'
import type { Locale } from '../messages/locale.ts'
import { copyButton } from '../parts/address.ts'

/** A key or a secret that was just made, which is shown this once, and its button to copy it where there is script. */
export const freshSecret = (
  { words: { developers: words, parts } }: Locale,
  name: string,
  secret: string | undefined,
  more?: unknown,
) =>
  secret !== undefined &&
  html`
    <section class="card" role="status" aria-labelledby="fresh">
      <h2 id="fresh">${name}</h2>
      <p>${words.once}</p>
      <p><code class="long">${secret}</code></p>
      <p>${copyButton(parts, secret, name)}</p>
      ${more}
    </section>
  `

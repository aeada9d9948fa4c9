import { html } from 'htm/preact'
import type { Locale } from '../messages/locale.ts'

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
      <p class="later">
        <button type="button" class="plain small" data-copy=${secret} data-copied=${parts.copied} aria-label=${`${parts.copy}: ${name}`} hidden>
          ${parts.copy}
        </button>
      </p>
      ${more}
    </section>
  `

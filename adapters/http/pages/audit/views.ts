import { html } from 'htm/preact'

/**
 * The parts of the auditor's page as they are before anything was read: headings, forms, and the places that are
 * filled.
 */

export const timelineView = () => html`
  <section id="timeline" class="view" aria-labelledby="timeline-title" hidden>
    <div class="top">
      <h1 id="timeline-title">Timeline</h1>
      <p class="hint keys" aria-hidden="true"><kbd>/</kbd> search <kbd>↓</kbd><kbd>↑</kbd> move <kbd>Enter</kbd> open</p>
    </div>
    <form class="filters" method="post" role="search" aria-label="Events">
      ${field('q', 'Search', { type: 'search', placeholder: 'type, stream or any id', class: 'wide' })}
      ${field('from', 'From', { type: 'date' })} ${field('to', 'To', { type: 'date' })}
      <details>
        <summary>More filters</summary>
        <div>
          ${field('type', 'Event type', { placeholder: 'ChallengeSettled' })}
          ${field('stream', 'Stream', { placeholder: 'transaction-…' })}
          ${field('transaction_id', 'Transaction', { inputmode: 'numeric' })}
          ${field('correlation_id', 'Correlation', { placeholder: 'req_…' })}
        </div>
      </details>
      <p class="buttons"><button type="submit">Show</button><button type="reset" class="plain">Clear</button></p>
    </form>
    <div class="body"></div>
  </section>
`

export const lifeView = () => html`
  <section id="transaction" class="view" aria-labelledby="life-title" hidden>
    <div class="top"><h1 id="life-title">Transaction</h1></div>
    <form class="filters" method="post" role="search" aria-label="Transaction">
      ${field('transaction_id', 'Transaction number', { inputmode: 'numeric', required: true, class: 'wide' })}
      <p class="buttons"><button type="submit">Show its life</button></p>
    </form>
    <div class="body"></div>
  </section>
`

export const booksView = () => html`
  <section id="books" class="view" aria-labelledby="books-title" hidden>
    <div class="top"><h1 id="books-title">Books</h1></div>
    <form class="filters" method="post" aria-label="Time of the books">
      ${field('as_of', 'As of the end of', { type: 'date' })}
      <p class="buttons"><button type="submit">Show</button><button type="reset" class="plain">Now</button></p>
    </form>
    <div class="body"></div>
  </section>
`

export const sealsView = () => html`
  <section id="seals" class="view" aria-labelledby="seals-title" hidden>
    <div class="top"><h1 id="seals-title">Seals</h1></div>
    <p class="lead">
      Again and again the service signs the size and the hash of the whole log: a head. Your browser can check for itself that your events stand
      under the newest head, that its signature is good, and that the log has only grown since you were last here.
    </p>
    <p class="buttons"><button type="button" id="verify">Verify</button></p>
    <div id="verdict" role="status" aria-live="polite"></div>
    <form class="filters pin" method="post" aria-label="Key that is expected">
      ${field('pinned', 'Public key that you expect, or its fingerprint', { spellcheck: 'false', autocomplete: 'off', class: 'wide' })}
      <p class="buttons"><button type="submit" class="plain">Pin</button></p>
      <p class="hint">
        Ask the operator for it on another way than this page: daybook audit keys shows it. While it is pinned, only heads by it, or by a key
        that it vouched for, are accepted. It is kept in this browser.
      </p>
    </form>
    <div class="body"></div>
  </section>
`

export const exportsView = () => html`
  <section id="exports" class="view" aria-labelledby="exports-title" hidden>
    <div class="top"><h1 id="exports-title">Export</h1></div>
    <p class="lead">
      The journal of your account: every posting, exact to the last unit. All four formats hold the same numbers.
    </p>
    <form class="filters" method="post" aria-label="Export">
      <fieldset>
        <legend>Format</legend>
        ${formats.map(
          ([value, title, text], n) => html`
            <label class="choice">
              <input type="radio" name="format" value=${value} checked=${n === 0} />
              <span><b>${title}</b> ${text}</span>
            </label>
          `,
        )}
      </fieldset>
      ${field('from', 'From', { type: 'date', prefix: 'export-' })} ${field('to', 'To', { type: 'date', prefix: 'export-' })}
      <p class="buttons"><button type="submit">Download</button><button type="button" class="plain" hidden>Stop</button></p>
    </form>
    <div class="body"></div>
  </section>
`

const formats = [
  ['csv', 'CSV', 'for spreadsheets'],
  ['hledger', 'hledger', 'for hledger and ledger'],
  ['beancount', 'Beancount', 'for beancount and fava'],
  ['jsonl', 'JSON Lines', 'for programs'],
] as const

type Attributes = { type?: string; class?: string; prefix?: string; [name: string]: string | boolean | undefined }

/** A labelled input. Its id is made unique by where it stands. */
const field = (name: string, label: string, { class: kind, prefix = '', type = 'text', ...rest }: Attributes = {}) => {
  const id = `${prefix}${name}-${label.toLowerCase().replaceAll(' ', '-')}`
  return html`
    <p class=${`field${kind ? ` ${kind}` : ''}`}>
      <label for=${id}>${label}</label>
      <input id=${id} name=${name} type=${type} autocomplete="off" ...${rest} />
    </p>
  `
}

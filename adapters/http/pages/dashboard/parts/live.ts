import { html } from 'htm/preact'

/** The module that a page with live rows loads. */
export const LIVE_SCRIPT = 'dashboard/live.js'

export type LivePart = {
  /** The id of this part, by which it is found in the page that is read anew. */
  readonly id: string
  /** The categories of streams that its rows come from, such as `transaction` or `wallet`; nobody tells of none. */
  readonly kinds: readonly string[]
  /** The address that has this part: the page's own unless given. */
  readonly from?: string
  /** Seconds between two readings at least, for a part that costs much or changes with everything. */
  readonly everySeconds?: number
}

/** A part of a page that is read anew when rows of these kinds have changed. */
export const live = ({ id, kinds, from, everySeconds }: LivePart, content: unknown) => html`
  <div id=${id} data-live=${kinds.join(' ')} data-from=${from} data-every=${everySeconds}>${content}</div>
`

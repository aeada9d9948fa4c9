/*
 * Functions with which every view of the auditor's page makes its parts. Text is only ever set as text, never as
 * markup.
 */

const SVG = 'http://www.w3.org/2000/svg'

/**
 * An element: `h('p', { class: 'hint' }, 'text', child)`. A function among the attributes listens, null or false leaves
 * an attribute out.
 */
export const h = (name, attributes = {}, ...children) => filled(document.createElement(name), attributes, children)

/** The same for elements of SVG. */
export const svg = (name, attributes = {}, ...children) =>
  filled(document.createElementNS(SVG, name), attributes, children)

const filled = (element, attributes, children) => {
  for (const [name, value] of Object.entries(attributes))
    if (typeof value === 'function') element.addEventListener(name, value)
    else if (value !== null && value !== undefined && value !== false)
      element.setAttribute(name, value === true ? '' : String(value))
  element.append(
    ...children
      .flat(Number.POSITIVE_INFINITY)
      .filter((child) => child !== null && child !== undefined && child !== false),
  )
  return element
}

/** Puts parts in the place of what an element held. */
export const fill = (element, ...children) => {
  element.removeAttribute('aria-busy')
  element.replaceChildren(
    ...children
      .flat(Number.POSITIVE_INFINITY)
      .filter((child) => child !== null && child !== undefined && child !== false),
  )
}

/** Shows that something is being read: what was there before is dimmed, or a text says what is read. */
export const begin = (element, what) => {
  if (element.childElementCount === 0) fill(element, loading(what))
  else element.setAttribute('aria-busy', 'true')
}

/** Has screen readers read a text aloud, because they do not notice that the page has changed. */
export const say = (text) => {
  document.getElementById('said').textContent = text
}

export const loading = (what) =>
  h(
    'div',
    { class: 'state', 'aria-busy': 'true' },
    h('span', { class: 'dots', 'aria-hidden': 'true' }),
    h('p', {}, `${what} …`),
  )

export const empty = (title, text, ...more) =>
  h('div', { class: 'state' }, h('h2', {}, title), h('p', {}, text), ...more)

/** Why something is not shown, and a way on. */
export const failed = (error, again) =>
  h(
    'div',
    { class: 'state bad', role: 'alert' },
    h('h2', {}, titleOf(error)),
    h('p', {}, error.message),
    again && error.status !== 403 && h('button', { type: 'button', class: 'plain', click: again }, 'Try again'),
  )

const titleOf = ({ status, name }) => {
  if (status === 403) return 'This key may not see that'
  if (status === 404) return 'There is no such thing in your account'
  if (status === 400) return 'That cannot be asked for'
  if (status === 429) return 'Too much at once'
  return name === 'Failed' ? 'This could not be read' : 'Something went wrong in this page'
}

/** Times are shown in UTC, as they are in the log. */
export const dayOf = (at) => at.slice(0, 10)
export const clockOf = (at) => at.slice(11, 23).replace(/\.000$/, '')
export const timeOf = (at) => h('time', { datetime: at, title: at }, `${dayOf(at)} ${at.slice(11, 19)}`)

/** A span of milliseconds as people say it. */
export const spanOf = (ms) => {
  if (ms < 1_000) return `${ms} ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`
  if (ms < 86_400_000) return `${Math.floor(ms / 3_600_000)} h ${Math.round((ms % 3_600_000) / 60_000)} min`
  return `${Math.floor(ms / 86_400_000)} d ${Math.round((ms % 86_400_000) / 3_600_000)} h`
}

/**
 * An exact amount with its digits in groups. Zeros that fill it up to `places` are dimmed, so that a column lines up
 * and still reads well.
 */
export const amountOf = (text, places = 0) => {
  const [, sign, whole, digits = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text)
  const missing = '0'.repeat(Math.max(0, places - digits.length))
  const filler = `${digits === '' && missing ? '.' : ''}${missing}`
  return h(
    'span',
    { class: 'amount' },
    `${sign && '−'}${grouped(whole)}${digits && `.${digits}`}`,
    filler && h('span', { class: 'zeros' }, filler),
  )
}

/** The most digits after the point that any amount of an asset has; dollars have two at least. */
export const placesOf = (asset, values) =>
  Math.max(asset === 'USD' ? 2 : 0, ...values.map((value) => value.split('.')[1]?.length ?? 0))

export const grouped = (digits) => String(digits).replace(/\B(?=(\d{3})+$)/g, '\u202f')

/** A name in CamelCase that may be broken between its words. */
export const nameOf = (type) => type.split(/(?=[A-Z])/).flatMap((word, n) => (n === 0 ? [word] : [h('wbr'), word]))

/** A long id: it is cut short on the screen, and whole when it is copied. */
export const idOf = (text) => h('code', { class: 'id', title: text }, text)

/** The fields of a form that are filled in. */
export const fieldsOf = (form) =>
  Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, value.trim()]).filter(([, value]) => value))

/** Puts values into the fields of a form, and empties all others. */
export const setFields = (form, values) => {
  for (const input of form.querySelectorAll('input[name]:not([type=radio])')) input.value = values[input.name] ?? ''
}

export const linkTo = (view, params) => {
  const query = new URLSearchParams(Object.entries(params).filter(([, value]) => value))
  return `#/${view}${[...query].length > 0 ? `?${query}` : ''}`
}

/** Goes to a view, also to the one that is shown, which is read anew then. */
export const go = (hash) => {
  if (location.hash === hash) dispatchEvent(new HashChangeEvent('hashchange'))
  else location.hash = hash
}

const prepared = new WeakSet()

/** Prepares a view when it is shown for the first time: its forms and buttons stay as they are afterwards. */
export const firstTime = (section, prepare) => {
  if (prepared.has(section)) return
  prepare(section)
  prepared.add(section)
}

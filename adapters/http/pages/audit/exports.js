/*
 * Downloads the journal. The key is sent in a header, so the file is read here and handed to the browser when it is
 * whole.
 */

import { send } from './api.js'
import { fieldsOf, fill, firstTime, grouped, h, loading, say } from './dom.js'

const ENDINGS = { csv: 'csv', hledger: 'journal', beancount: 'beancount', jsonl: 'jsonl' }

let stopping = new AbortController()

export const showExports = async (section, _params, signal) => {
  firstTime(section, prepare)
  signal.addEventListener('abort', () => stopping.abort())
  fill(section.querySelector('.body'))
}

const prepare = (section) => {
  const form = section.querySelector('form')
  const [start, stop] = form.querySelectorAll('button')
  stop.addEventListener('click', () => stopping.abort())
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    stopping = new AbortController()
    start.disabled = true
    stop.hidden = false
    const body = section.querySelector('.body')
    try {
      await download(fieldsOf(form), body)
    } catch (error) {
      fill(
        body,
        stopping.signal.aborted
          ? h('p', { class: 'hint' }, 'Stopped. Nothing was saved.')
          : h('p', { class: 'problem', role: 'alert' }, error.message),
      )
    }
    start.disabled = false
    stop.hidden = true
  })
}

const download = async ({ format, ...span }, body) => {
  fill(body, loading('Waiting for the first posting'))
  const response = await send('/v1/audit/export', { format, ...span }, stopping.signal)
  const chunks = []
  let bytes = 0
  for (const reader = response.body.getReader(); ; ) {
    const { value, done } = await reader.read()
    if (done) break
    chunks.push(value)
    bytes += value.length
    fill(body, loading(`${sizeOf(bytes)} so far`))
  }
  const name = `journal.${ENDINGS[format]}`
  save(new Blob(chunks, { type: response.headers.get('content-type') ?? 'text/plain' }), name)
  fill(body, h('p', { class: 'done' }, `${name}, ${sizeOf(bytes)}, is in your downloads.`))
  say('Downloaded')
}

const save = (blob, name) => {
  const url = URL.createObjectURL(blob)
  const link = h('a', { href: url, download: name })
  link.click()
  // The browser takes the file from the address after this; a minute is enough for it to begin.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

const sizeOf = (bytes) => (bytes < 10_000 ? `${grouped(bytes)} bytes` : `${grouped(Math.round(bytes / 1_000))} kB`)

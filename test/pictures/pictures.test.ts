import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import { PICTURE_BYTES_MAX, PICTURES } from './pictures.ts'

/** The pictures of the README: each is there, says what it shows, and is small. */

const PNG = Buffer.from('89504e470d0a1a0a', 'hex')
const readme = readFileSync(fileURLToPath(new URL('../../README.md', import.meta.url)), 'utf8')
const shown = [...readme.matchAll(/!\[([^\]]*)\]\(docs\/pictures\/([\w-]+\.png)\)/g)]

test('the README shows four pictures, each with words for who does not see it', (t) => {
  t.is(shown.length, 4)
  for (const [, words = '', name] of shown) t.true(words.length > 10, name)
})

test('every picture of the README is there, and none that it does not show', (t) => {
  t.deepEqual(readdirSync(PICTURES).toSorted(), shown.map(([, , name]) => name).toSorted())
})

test('every picture is a PNG of less than 150 KB', (t) => {
  for (const name of readdirSync(PICTURES)) {
    const bytes = readFileSync(join(PICTURES, name))
    t.true(bytes.subarray(0, PNG.length).equals(PNG), name)
    t.true(bytes.byteLength < PICTURE_BYTES_MAX, `${name} has ${bytes.byteLength} bytes`)
  }
})

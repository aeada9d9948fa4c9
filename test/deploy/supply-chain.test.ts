import { readFileSync } from 'node:fs'
import test from 'ava'
import { type Lock, licenceFaults, originFaults, scriptFaults } from './supply-chain.ts'

const lockOf = (folder: string): Lock => JSON.parse(readFileSync(`${folder}/package-lock.json`, 'utf8')).packages
const { allowScripts } = JSON.parse(readFileSync('package.json', 'utf8'))

/** The packages of the project; each has a lock of its own. */
const FOLDERS = ['.', 'bench', 'test/clients']

const GOOD = { version: '1.0.0', integrity: 'sha512-AAAA', license: 'MIT' }
const REGISTRY = `https://${'registry.example'}/a.tgz`

for (const folder of FOLDERS)
  test(`N-150 each package that ${folder}/package-lock.json names is known by its content, and comes from the registry`, (t) => {
    const lock = lockOf(folder)
    t.true(Object.keys(lock).length > 100)
    t.deepEqual(originFaults(lock), [])
  })

test('N-150 a package without integrity, from another place, or outside the project is told', (t) => {
  const { integrity: _, ...unknown } = GOOD
  const lock = {
    'node_modules/a': unknown,
    'node_modules/b': { ...GOOD, resolved: REGISTRY },
    'node_modules/c': { ...GOOD, integrity: 'sha1-AAAA' },
    'node_modules/d': { link: true, resolved: '../d' },
    'node_modules/ours': { link: true, resolved: 'test/ours' },
    'test/ours': { version: '0.0.0' },
    'test/ours/node_modules/e': unknown,
  }
  t.deepEqual(
    originFaults(lock).map((fault) => fault.slice(0, fault.indexOf(' '))),
    ['a', 'b', 'c', 'e', 'd'],
  )
})

test('N-150 every package with an install script is named in package.json, so that npm asks nobody about it', (t) => {
  t.deepEqual(scriptFaults(lockOf('.'), allowScripts), [])
  t.deepEqual(scriptFaults(lockOf('bench'), {}), [])
  const scripted = { 'node_modules/x/node_modules/@a/b': { ...GOOD, hasInstallScript: true } }
  t.regex(String(scriptFaults(scripted, {})), /^@a\/b has an install script/)
  t.deepEqual(scriptFaults(scripted, { '@a/b': false }), [])
  t.regex(String(scriptFaults({ 'node_modules/a': GOOD }, { a: true })), /names a, which has none/)
})

test('N-150 every package has a licence of the list', (t) => {
  t.deepEqual(licenceFaults(lockOf('.')), [])
  const { license: _, ...unlicensed } = GOOD
  const lock = {
    'node_modules/a': { ...GOOD, license: 'AGPL-3.0-only' },
    'node_modules/b': unlicensed,
    'node_modules/c': { ...GOOD, license: 'LGPL-3.0-only' },
    'node_modules/rpc-websockets': { ...GOOD, license: 'LGPL-3.0-only' },
  }
  t.deepEqual(
    licenceFaults(lock).map((fault) => fault[0]),
    ['a', 'b', 'c'],
  )
})

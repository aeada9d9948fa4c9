import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/**
 * Where test processes and the programs that they start keep what they have compiled, from one run to the next. Node
 * compares each entry with its source. Loading the product costs half of what it does without.
 */
export const COMPILED = fileURLToPath(new URL('../../node_modules/.cache/daybook-tests', import.meta.url))

const SERVICE = new URL('../../src/runtime/serve.ts', import.meta.url).href

/**
 * Compiles the product once, where nothing is kept yet: a process writes down what it has compiled only when it ends,
 * and those of the tests begin together. Where that fails each compiles for itself.
 */
export const provideCompiled = async (): Promise<void> => {
  if (existsSync(COMPILED)) return
  const load = ['--input-type=module', '--eval', `await import(${JSON.stringify(SERVICE)})`]
  const child = spawn(process.execPath, load, {
    env: { ...process.env, NODE_COMPILE_CACHE: COMPILED },
    stdio: 'ignore',
  })
  await once(child, 'exit')
}

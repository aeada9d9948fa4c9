/** The libraries of Bitcoin, which a service that takes no such coin never loads: 4 MB of what it would hold. */

import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

type BitcoinJs = typeof import('bitcoinjs-lib')
type Curve = typeof import('@bitcoinerlab/secp256k1')

const require = createRequire(import.meta.url)

/** The file is named as an import would find it, so that there is one copy of each, whoever asks. */
const load = (name: string): unknown => require(fileURLToPath(import.meta.resolve(name)))

let js: BitcoinJs | undefined
let curve: Curve | undefined

/** Loaded at the first call, and answered at once: an address is checked within one step. */
export const bitcoinJs = (): BitcoinJs => (js ??= load('bitcoinjs-lib') as BitcoinJs)

/** The same for the curve. */
export const bitcoinCurve = (): Curve => (curve ??= load('@bitcoinerlab/secp256k1') as Curve)

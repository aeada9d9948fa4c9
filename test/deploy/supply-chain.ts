/** What a lock file may hold: packages with a checksum, from the registry alone, with a licence that we can keep to. */

export type Locked = {
  readonly version?: string
  readonly resolved?: string
  readonly integrity?: string
  readonly link?: boolean
  readonly license?: string
  readonly hasInstallScript?: boolean
}

/** Paths of `package-lock.json`, each with its package. */
export type Lock = Readonly<Record<string, Locked>>

/** As SPDX writes them. None asks anything of who runs a service but to name its authors. */
const LICENCES: ReadonlySet<string> = new Set([
  '(BSD-3-Clause AND Apache-2.0)',
  '(MIT AND Zlib)',
  '(MIT OR CC0-1.0)',
  '(MIT OR EUPL-1.1+)',
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT OR Apache-2.0',
  'MIT-0',
  'MIT/X11',
  'Unlicense',
])

/** Others, for these packages alone, with what makes them fit. */
const LICENCES_OF: readonly (readonly [packages: RegExp, licence: string | undefined, reason: string])[] = [
  [/^@img\/sharp-/, 'LGPL-3.0-or-later', 'a library that sharp loads as it is, and that anybody may replace'],
  [/^@img\/sharp-(win32|wasm32)/, 'Apache-2.0 AND LGPL-3.0-or-later', 'the same'],
  [/^@img\/sharp-wasm32$/, 'Apache-2.0 AND LGPL-3.0-or-later AND MIT', 'the same'],
  [/^rpc-websockets$/, 'LGPL-3.0-only', 'a module of its own under @solana/web3.js, taken as it is'],
  [/^axe-core$/, 'MPL-2.0', 'tests alone; its files are not changed'],
  [/^eyes$/, undefined, 'its file LICENSE is that of MIT'],
  [/^text-encoding-utf-8$/, undefined, 'its file LICENSE.md gives it to everybody (Unlicense)'],
  [/^(busboy|dicer|streamsearch)$/, undefined, 'tests alone; the list of licences in its package says MIT'],
  [/^(only|humanize-number)$/, undefined, 'tests alone; its read-me says MIT'],
  [/^@tonstudio\/parser-runtime$/, undefined, 'tests alone; published without one, beside packages of its authors'],
]

const nameOf = (path: string): string => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)

/** Each package of others; the folders of our own are left out. */
const packagesOf = (lock: Lock): readonly (readonly [name: string, Locked])[] =>
  Object.entries(lock).flatMap(([path, locked]) =>
    path.includes('node_modules/') && !locked.link ? [[nameOf(path), locked] as const] : [],
  )

/** Packages that are not known by their content, or that come from elsewhere than the registry. */
export const originFaults = (lock: Lock): readonly string[] => [
  ...packagesOf(lock).flatMap(([name, { integrity, resolved }]) => [
    ...(/^sha512-/.test(integrity ?? '') ? [] : [`${name} has no integrity of SHA-512`]),
    ...(resolved === undefined ? [] : [`${name} names where it comes from: ${resolved}`]),
  ]),
  // A link leads to a folder of the project.
  ...Object.entries(lock).flatMap(([path, { link, resolved = '' }]) =>
    link && !(resolved in lock) ? [`${nameOf(path)} is a link to ${resolved}, which is not in the project`] : [],
  ),
]

/** Packages whose install scripts nobody has decided about. */
export const scriptFaults = (lock: Lock, allowScripts: Readonly<Record<string, boolean>>): readonly string[] => [
  ...packagesOf(lock).flatMap(([name, { hasInstallScript }]) =>
    hasInstallScript && !(name in allowScripts) ? [`${name} has an install script, and allowScripts does not say`] : [],
  ),
  ...Object.keys(allowScripts).flatMap((name) =>
    packagesOf(lock).some(([each, { hasInstallScript }]) => each === name && hasInstallScript)
      ? []
      : [`allowScripts names ${name}, which has none`],
  ),
]

export const licenceFaults = (lock: Lock): readonly string[] =>
  packagesOf(lock).flatMap(([name, { license }]) =>
    LICENCES.has(license ?? '') || LICENCES_OF.some(([packages, other]) => other === license && packages.test(name))
      ? []
      : [`${name} has the licence ${license ?? 'of nobody'}, which is not on the list`],
  )

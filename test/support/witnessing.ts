/** Witnesses for the tests: our own, and one that was written from the specifications in another language. */
import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { ExecutionContext } from 'ava'
import { HASH_BYTES, hashesIn } from '../../adapters/audit/hash.ts'
import { consistencyPath } from '../../adapters/audit/paths.ts'
import type { WitnessAddress, WitnessContact } from '../../adapters/audit/witness/ask-witness.ts'
import { type VerifierKey, vkeyIn, vkeyOf } from '../../adapters/audit/witness/note.ts'
import { createWitness, type Witness, type WitnessHeads } from '../../adapters/audit/witness/witness.ts'
import { witnessHeadsIn, witnessKeyIn } from '../../adapters/audit/witness/witness-dir.ts'
import { serveWitness } from '../../adapters/audit/witness/witness-server.ts'
import { createOutbound } from '../../adapters/outbound/signed-post.ts'
import { parseAllowList } from '../../adapters/outbound/url-rules.ts'
import type { SealEvents } from '../../domain/audit/seals.ts'
import { everything } from './ledger.ts'
import type { SealedLog } from './sealed-log.ts'

const REFERENCE = fileURLToPath(new URL('../audit/witness/reference.py', import.meta.url))
const PYTHON = 'python3'

export type RunningWitness = {
  readonly address: WitnessAddress
  readonly vkey: string
  stop(): Promise<unknown>
}

export type OwnWitness = RunningWitness & {
  readonly heads: WitnessHeads
  /** The notes that showed another history. */
  readonly parted: string[]
}

/** Ours, on a folder: what it has signed there it remembers. `wrap` stands between it and the folder. */
export const ownWitness = async (
  dir: string,
  logs: readonly VerifierKey[],
  { wrap = (heads) => heads, name }: { wrap?: (heads: WitnessHeads) => WitnessHeads; name?: string } = {},
): Promise<OwnWitness & { witness: Witness }> => {
  const { key, privateKey } = witnessKeyIn(dir, name ?? 'witness.example/own')
  const heads = wrap(witnessHeadsIn(dir))
  const parted: string[] = []
  const now = () => new Date()
  const witness = createWitness({ key, privateKey, logs, heads, now, parted: (note) => parted.push(note) })
  const { url, stop } = await serveWitness(witness, { host: '127.0.0.1', port: 0 }, () => {})
  return { address: { url, key }, vkey: vkeyOf(key), heads, parted, witness, stop }
}

/** The one in Python. Its key follows from its name. */
export const referenceWitness = async (
  logs: readonly VerifierKey[],
  name = 'witness.example/py',
): Promise<RunningWitness> => {
  const seed = createHash('sha256').update(name).digest('hex')
  const own = ['serve', '--name', name, '--seed', seed, ...logs.flatMap((log) => ['--log', vkeyOf(log)])]
  const child = spawn(PYTHON, [REFERENCE, ...own], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  const { url, vkey } = JSON.parse(line)
  const gone = once(child, 'exit')
  const stop = () => {
    child.kill('SIGKILL')
    return gone
  }
  return { address: { url, key: vkeyIn(vkey) as VerifierKey }, vkey, stop }
}

export type ReferenceVerdict = {
  readonly error?: string
  readonly origin: string
  readonly size: number
  readonly root: string
  readonly log: boolean
  /** Unix seconds, by the name of the witness. */
  readonly witnesses: Readonly<Record<string, number | null>>
  readonly contained?: boolean
}

/** What the verifier in Python says of a note. */
export const referenceVerdict = async (
  dir: string,
  note: string,
  { log, witness = [], lines }: { log: VerifierKey; witness?: readonly string[]; lines?: string },
): Promise<ReferenceVerdict> => {
  const file = join(dir, 'note')
  writeFileSync(file, note)
  const keys = ['--log', vkeyOf(log), ...witness.flatMap((vkey) => ['--witness', vkey])]
  const given = ['verify', '--note', file, ...keys, ...(lines === undefined ? [] : ['--lines', lines])]
  const { stdout } = await promisify(execFile)(PYTHON, [REFERENCE, ...given]).catch((error) => error)
  return JSON.parse(stdout)
}

/** The way out to witnesses on this machine, and proofs from the seals of a log. */
export const askingFor = (
  t: ExecutionContext,
  log: SealedLog,
  witnesses: readonly RunningWitness[],
): WitnessContact => {
  const hosts = witnesses.map(({ address: { url } }) => new URL(url).host)
  const outbound = createOutbound({ allow: parseAllowList(hosts.join()), userAgent: 'Daybook-Test/1' })
  t.teardown(() => outbound.close())
  return {
    exchange: outbound.exchange,
    async proof(from, size) {
      const leaves = await leavesOf(log)
      const source = {
        leaves: async (start: number, end: number) => hashesIn(leaves.subarray(start * HASH_BYTES, end * HASH_BYTES)),
        node: async () => undefined,
      }
      return consistencyPath(source, from, size)
    },
  }
}

/** All leaves that the seals of a log list. */
const leavesOf = async ({ sealing: { store } }: SealedLog): Promise<Buffer> =>
  Buffer.concat(
    (await everything(store))
      .filter(({ type }) => type === 'LogSealed')
      .map(({ data }) => Buffer.from((data as SealEvents['LogSealed']).leaves, 'base64')),
  )

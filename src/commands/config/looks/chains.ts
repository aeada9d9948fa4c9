import { healthOf } from '../../../../adapters/chains/rpc/health.ts'
import { ProviderUnavailable } from '../../../../adapters/chains/rpc/providers.ts'
import { chainSetting } from '../../../settings/given/table.ts'
import { type ClockReading, type Finding, fine, type Looked, misfit, type OpenChain } from './finding.ts'

/** One chain: whether its providers serve it, agree and keep up, and its first block. */
export const lookAtChain = async ({ config: { network, chain, rpcUrls }, node }: OpenChain): Promise<Looked> => {
  const [what, setting] = [`chain ${network.name}`, chainSetting(network.name, 'RPC')]
  try {
    await node.verifyChain()
  } catch (error) {
    return { findings: [chainFailure(what, setting, rpcUrls.length, error)] }
  }
  const health = await healthOf({ network, node, cursor: () => undefined, now: () => new Date() })
  const first = network.family === 'evm' ? await node.hashAt(0).catch(() => undefined) : undefined
  const age = health.headAgeSeconds
  const text = [
    `${chain.caip2}${chain.test ? ', a test chain,' : ''} at ${health.head?.toLocaleString('en') ?? 'no block'}`,
    ...(age === null ? [] : [`${age.toLocaleString('en')} s old`]),
    ...(first === undefined ? [] : [`begins with ${first.slice(0, FIRST_BLOCK_CHARACTERS)}…`]),
    `${health.answering} of ${rpcUrls.length} URLs answer`,
  ].join(', ')
  const wrong = wrongIn(health.status, health.providers)
  return {
    findings: [wrong ? misfit(what, setting, `${text}: ${wrong.text}`, wrong.wayOut) : fine(what, setting, text)],
    clocks: await clockOf(network.name, node),
    firstBlocks: new Map(first === undefined ? [] : [[network.name, first]]),
  }
}

const FIRST_BLOCK_CHARACTERS = 14

/** The words of providers name no URL. The last of them say why there was no answer. */
const chainFailure = (what: string, setting: string, urls: number, error: unknown): Finding => {
  const { message } = error as Error
  const silent = error instanceof ProviderUnavailable
  const text = silent ? `none of ${urls} URLs answers as a node (${message.split(': ').at(-1)})` : message
  const id = setting.replace(/_RPC$/, '_ID')
  return silent
    ? misfit(what, setting, text, 'Look whether the node runs and lets this machine in, or correct the URL')
    : misfit(what, setting, text, `Name a node of the chain that ${id} means, or set ${id} to the chain of this node`)
}

type Health = Awaited<ReturnType<typeof healthOf>>

const wrongIn = (
  status: Health['status'],
  providers: Health['providers'],
): { readonly text: string; readonly wayOut: string } | undefined => {
  const silent = providers.flatMap((state, n) => (state === 'closed' ? [] : [n + 1]))
  if (status === 'stale')
    return {
      text: 'there has been no new block for long',
      wayOut: 'Look whether the node still follows its chain, and whether the clock of this machine is right.',
    }
  if (status === 'disagree')
    return { text: 'its URLs show different chains, or one is far behind', wayOut: 'Leave out the one that is wrong.' }
  return silent.length === 0 && status === 'ok'
    ? undefined
    : { text: `URL ${silent.join(' and ')} of the list does not`, wayOut: 'Correct it, or leave it out.' }
}

/** A head is as old as the last block, so only a clock of ours that is behind it tells something. */
const clockOf = async (network: string, node: OpenChain['node']): Promise<readonly ClockReading[]> => {
  const { minedAt } = await node.head()
  return minedAt === undefined
    ? []
    : [{ of: `the newest block of ${network}`, aheadMs: Date.now() - Date.parse(minedAt), lags: true }]
}

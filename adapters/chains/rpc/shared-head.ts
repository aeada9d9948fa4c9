import type { Chain, ChainHead } from '../../../domain/kernel/ports.ts'

/**
 * Answers a chain's head as it is after the call began, with at most one question to its node at a time: a caller who
 * comes while one is under way shares the next. The answer to the one under way would not do: a payment mined in
 * between would count for a challenge that came after it.
 */
export const createSharedHeads = () => {
  const nodes = new WeakMap<Chain, HeadRequests>()
  return (chain: Chain): Promise<ChainHead> => {
    const node = nodes.get(chain) ?? { asking: undefined, next: undefined }
    nodes.set(chain, node)
    if (!node.asking) return ask(chain, node)
    node.next ??= node.asking.then(
      () => ask(chain, node),
      () => ask(chain, node),
    )
    return node.next
  }
}

type HeadRequests = { asking: Promise<ChainHead> | undefined; next: Promise<ChainHead> | undefined }

const ask = (chain: Chain, node: HeadRequests): Promise<ChainHead> => {
  const asking = chain.head()
  node.asking = asking
  node.next = undefined
  const done = () => {
    if (node.asking === asking && !node.next) node.asking = undefined
  }
  asking.then(done, done)
  return asking
}

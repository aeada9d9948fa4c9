/** The unmodified client of EventStoreDB against a node of its own. */
import { EventStoreDBClient, jsonEvent, type ResolvedEvent } from '@eventstore/db-client'
import type { ExecutionContext } from 'ava'
import { newNode } from './open.ts'

export const event = (type: string, data = {}) => jsonEvent({ type, data })

export const connected = async (t: ExecutionContext) => {
  const node = await newNode(t)
  const client = EventStoreDBClient.connectionString(node.url)
  t.teardown(() => client.dispose())
  return { ...node, client }
}

export const types = async (events: AsyncIterable<ResolvedEvent>) => {
  const found: (string | undefined)[] = []
  for await (const resolved of events) found.push(resolved.event?.type)
  return found
}

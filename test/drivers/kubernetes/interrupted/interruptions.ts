import type { UserSpec } from '../../../../src/control-plane/spec/spec.ts'
import { COMMANDS } from './commands.ts'
import { type Interruption, type Triple, writesOf } from './after-interruption.ts'

const ONE: UserSpec = { version: '1.35' }
const THREE: UserSpec = { ...ONE, etcd: { replicas: 3 } }
/** With a keeper. */
const KEPT: UserSpec = { ...ONE, idle: '1h' }
const IN_MEMORY: UserSpec = { ...THREE, ephemeral: true }

/** Every command that changes a plane, killed where it has work to do. */
export const INTERRUPTIONS: readonly Interruption[] = [
  { command: 'create', userSpec: ONE, before: [] },
  { command: 'create', userSpec: KEPT, before: [] },
  { command: 'pause', userSpec: KEPT, before: ['create'] },
  { command: 'resume', userSpec: KEPT, before: ['create', 'pause'] },
  { command: 'delete', userSpec: KEPT, before: ['create'] },
  { command: 'pause', userSpec: THREE, before: ['create'] },
  { command: 'resume', userSpec: THREE, before: ['create', 'pause'] },
  { command: 'set a flag', userSpec: THREE, before: ['create'] },
  { command: 'upgrade', userSpec: ONE, before: ['create'] },
  { command: 'scale to 1', userSpec: THREE, before: ['create'] },
  { command: 'scale to 3', userSpec: ONE, before: ['create'] },
  { command: 'repair', userSpec: THREE, before: ['create'], lost: 1 },
  { command: 'repair', userSpec: IN_MEMORY, before: ['create'], lost: 0 },
  { command: 'restore', userSpec: THREE, before: ['create'] },
  { command: 'rotate', userSpec: THREE, before: ['create'] },
  { command: 'renew certificates', userSpec: THREE, before: ['create'] },
  { command: 'move', userSpec: THREE, before: ['create'] },
  { command: 'abort the move', userSpec: THREE, before: ['create', 'move'] },
  { command: 'delete', userSpec: THREE, before: ['create'] },
  { command: 'delete without its data', userSpec: THREE, before: ['create'] },
]

/** The interruption before each write of its command, with each command that may follow. */
export async function triplesOf(interruption: Interruption): Promise<Triple[]> {
  const count = await writesOf(interruption)
  return Array.from({ length: count }, (_, writes) => writes).flatMap((writes) =>
    COMMANDS.map(({ name: next }) => ({ ...interruption, writes, next })),
  )
}

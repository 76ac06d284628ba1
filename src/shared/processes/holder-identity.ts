import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { processNamespace } from './process-namespace.ts'
import { isProcessAlive } from './send-signal.ts'

/** Machine, process, and one operation of it. */
export function holderIdentity(): string {
  return `${machine()}_${process.pid}_${randomUUID()}`
}

/** Whether its process here has ended. */
export function isDeadHolder(identity: string): boolean {
  const [, host, processId] = /^(.*)_(\d+)_[^_]+$/.exec(identity) ?? []
  return host === machine() && !isProcessAlive(Number(processId))
}

/** Two machines, or containers, can have one host name. */
function machine(): string {
  return [hostname(), processNamespace()].filter((part) => part !== '').join('_')
}

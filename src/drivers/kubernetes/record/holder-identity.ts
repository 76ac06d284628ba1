import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { isProcessAlive } from '../../../shared/processes/is-process-alive.ts'

/** Who holds a Lease: this machine, this process, and one of the operations in it. */
export function holderIdentity(): string {
  return `${hostname()}_${process.pid}_${randomUUID()}`
}

/**
 * Tells whether a holder is known to be dead: a process of this machine that is gone. Of other machines nothing is
 * known. Should two machines have one name, the journal still keeps them apart.
 */
export function isDeadHolder(identity: string): boolean {
  const [, host, processId] = /^(.*)_(\d+)_[^_]+$/.exec(identity) ?? []
  return host === hostname() && !isProcessAlive(Number(processId))
}

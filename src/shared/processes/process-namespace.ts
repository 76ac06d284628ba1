import { createHash } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/** Where processes run. Containers and machines can have one folder of planes, and even one host name. */
export interface Machine {
  hostName: string
  /** Containers of one machine differ by it. Empty where there are none. */
  pidNamespace: string
}

export function thisMachine(): Machine {
  return { hostName: hostname(), pidNamespace: unlessMissing(pidNamespace) }
}

/**
 * Identifies the processes among which a process id is unique. On Linux those are the processes of one PID namespace
 * since one boot: containers and machines can have the same host name. Elsewhere it says nothing: ''.
 */
export function processNamespace(): string {
  return unlessMissing(() => {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')
    return createHash('sha256').update(`${boot}${pidNamespace()}`).digest('hex').slice(0, 12)
  })
}

function pidNamespace(): string {
  return readlinkSync('/proc/self/ns/pid')
}

/** Empty where the kernel is not Linux, or does not show it. */
function unlessMissing(read: () => string): string {
  try {
    return read()
  } catch {
    return ''
  }
}

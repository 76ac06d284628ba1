import { execFileSync } from 'node:child_process'
import { processesOf } from '../host/damage/kill-container.ts'

/**
 * Lets nothing that a pod of the lab sends reach some addresses, as a network does that is parted, until it is disposed.
 *
 * @param containerId one of its containers that runs
 */
export function cutOff(containerId: string, addresses: readonly string[]): Disposable {
  const [process] = processesOf(containerId)
  const route = (verb: 'add' | 'del', address: string) => {
    const inPod = ['--target', String(process), '--net', 'ip', 'route', verb, 'blackhole', address]
    execFileSync('nsenter', inPod, { stdio: 'pipe' })
  }
  addresses.forEach((address) => route('add', address))
  return { [Symbol.dispose]: () => addresses.forEach((address) => route('del', address)) }
}

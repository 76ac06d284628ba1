import { closeSync, openSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { killContainer, processesOf } from './kill-container.ts'

/** Where the container of a member of etcd has its volume. */
const VOLUME = 'var/lib/etcd'

/** Writes over the database of a member of etcd, as a disk that fails does, and ends it. */
export function corruptMember(containerId: string): void {
  const file = `${rootOf(containerId)}/${VOLUME}/data/member/snap/db`
  writeFileSync(file, Buffer.alloc(statSync(file).size, 'x'), { flag: 'r+' })
  killContainer(containerId)
}

/**
 * Takes the data of a member of etcd away, and ends it.
 *
 * @returns what brings the data back.
 */
export function takeDataAway(containerId: string): () => void {
  // The volume is there as long as the host knows the pod, whatever becomes of the container.
  const folder = openSync(`${rootOf(containerId)}/${VOLUME}`, 'r')
  const volume = `/proc/self/fd/${folder}`
  renameSync(`${volume}/data`, `${volume}/away`)
  killContainer(containerId)
  return () => {
    rmSync(`${volume}/data`, { recursive: true, force: true })
    renameSync(`${volume}/away`, `${volume}/data`)
    closeSync(folder)
  }
}

function rootOf(containerId: string): string {
  const [first] = processesOf(containerId)
  if (first === undefined) {
    throw new Error(`nothing runs in ${containerId}`)
  }
  return `/proc/${first}/root`
}

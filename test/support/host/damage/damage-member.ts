import {
  closeSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { killContainer, processesOf, signalContainer } from './kill-container.ts'

/** Where the container of a member of etcd has its volume. */
const VOLUME = 'var/lib/etcd'

/** Writes over the database of a member of etcd, as a disk that fails does, and ends it. */
export function corruptMember(containerId: string): void {
  const file = `${rootOf(containerId)}/${VOLUME}/data/member/snap/db`
  writeFileSync(file, Buffer.alloc(statSync(file).size, 'x'), { flag: 'r+' })
  killContainer(containerId)
}

/** Writes another text of the same length over one in the database of a member of etcd, as a disk does, and restarts it. */
export function alterMember(containerId: string, text: string, other: string): void {
  const file = `${rootOf(containerId)}/${VOLUME}/data/member/snap/db`
  signalContainer(containerId, 'SIGSTOP')
  const database = readFileSync(file)
  if (!database.includes(text)) {
    throw new Error(`the database of ${containerId} does not have ${text}`)
  }
  for (let at = database.indexOf(text); at >= 0; at = database.indexOf(text, at + 1)) {
    database.write(other, at)
  }
  writeFileSync(file, database, { flag: 'r+' })
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

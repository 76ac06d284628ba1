import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { PlaneReference } from '../control-plane/plane.ts'

/** The files of one tunnel. */
export interface TunnelFolder {
  root: string
  /** What it leads to and how: chosen by commands. */
  settings: string
  /** The process that listens. */
  serving: string
  /** Processes that listen no more and end with their last connection, a file each. */
  draining: string
  /** What keeps it from reaching the plane. */
  problem: string
  log: string
  /** Held by the process that listens. */
  servingLock: string
  /** Held by whoever changes something; beside the folder, which may go meanwhile. */
  changeLock: string
}

const LONGEST_NAME = 200
const DIGEST_LENGTH = 32

/** The folder of the tunnel to a plane; `root` is that of all tunnels. */
export function tunnelFolderOf(
  root: string,
  { hostContext = '', name, namespace = '' }: PlaneReference,
): TunnelFolder {
  const parts = [name, namespace, hostContext].map(encodeURIComponent)
  return tunnelFolder(join(root, shortened(parts.join('_'))))
}

/** File systems take names of up to 255 bytes, and contexts are named after everything that leads to their cluster. */
function shortened(name: string): string {
  if (name.length <= LONGEST_NAME) {
    return name
  }
  // Not imported: it is hardly ever needed, and credential plugins have no time.
  const digest = process.getBuiltinModule('node:crypto').hash('sha256', name)
  return `${name.slice(0, LONGEST_NAME - DIGEST_LENGTH)}${digest.slice(0, DIGEST_LENGTH)}`
}

/** The files in the folder of a tunnel. */
export function tunnelFolder(root: string): TunnelFolder {
  return {
    root,
    settings: join(root, 'tunnel.json'),
    serving: join(root, 'serving.json'),
    draining: join(root, 'draining'),
    problem: join(root, 'problem.json'),
    log: join(root, 'tunnel.log'),
    servingLock: join(root, 'serving.lock'),
    changeLock: join(root, '..', `.${basename(root)}.lock`),
  }
}

/** The folders of all tunnels. */
export function tunnelFolders(root: string): TunnelFolder[] {
  return namesIn(root)
    .filter((name) => !name.startsWith('.'))
    .map((name) => tunnelFolder(join(root, name)))
}

/** The records of the processes that listen no more. */
export function drainingFiles({ draining }: TunnelFolder): string[] {
  return namesIn(draining)
    .filter((name) => name.endsWith('.json'))
    .map((name) => join(draining, name))
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    // None was ever made.
    return []
  }
}

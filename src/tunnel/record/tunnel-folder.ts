import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { PlaneReference } from '../../control-plane/plane/plane.ts'
import { shortFileName } from '../../shared/files/short-file-name.ts'

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

/** The folder of the tunnel to a plane; `root` is that of all tunnels. */
export function tunnelFolderOf(
  root: string,
  { hostContext = '', name, namespace = '' }: PlaneReference,
): TunnelFolder {
  return tunnelFolder(join(root, shortFileName([name, namespace, hostContext])))
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

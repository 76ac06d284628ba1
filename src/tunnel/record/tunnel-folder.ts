import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { PlaneReference } from '../../control-plane/plane/plane.ts'
import { shortFileName } from '../../shared/files/short-file-name.ts'

/** The folder of the tunnel to a plane; `root` is that of all tunnels. */
export function tunnelFolderOf(
  root: string,
  { hostContext = '', name, namespace = '' }: PlaneReference,
): TunnelFolder {
  return tunnelFolder(join(root, shortFileName([name, namespace, hostContext])))
}

/** The files in the folder of a tunnel. */
export function tunnelFolder(root: string) {
  return {
    root,
    settings: join(root, 'tunnel.json'),
    /** The process that listens. */
    serving: join(root, 'serving.json'),
    /** One file for each process that no longer listens and ends with its last connection. */
    draining: join(root, 'draining'),
    /** Why it cannot reach the plane. */
    problem: join(root, 'problem.json'),
    log: join(root, 'tunnel.log'),
    /** Held by the process that listens. */
    servingLock: join(root, 'serving.lock'),
    /** Held by a process that changes the tunnel; beside the folder, which may be deleted meanwhile. */
    changeLock: join(root, '..', `.${basename(root)}.lock`),
  }
}

export type TunnelFolder = ReturnType<typeof tunnelFolder>

/** The folders of all tunnels. */
export function tunnelFolders(root: string): TunnelFolder[] {
  return namesIn(root)
    .filter((name) => !name.startsWith('.'))
    .map((name) => tunnelFolder(join(root, name)))
}

/** The records of the processes that no longer listen. */
export function drainingFiles({ draining }: TunnelFolder): string[] {
  return namesIn(draining)
    .filter((name) => name.endsWith('.json'))
    .map((name) => join(draining, name))
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    // The folder does not exist yet.
    return []
  }
}

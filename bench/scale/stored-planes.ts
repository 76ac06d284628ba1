import { existsSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { PlaneStore } from '../../src/drivers/local/store/plane-store.ts'
import { VplaneError } from '../../src/shared/errors.ts'
import { listeningSockets } from '../../test/support/machine/listening-sockets.ts'

/** What a folder takes on disk, in KiB. */
export function spaceOf(folder: string): number {
  return pathsIn(folder).reduce((sum, path) => sum + lstatSync(path).blocks / 2, 0)
}

/** All files and folders below a folder. */
export function pathsIn(folder: string): string[] {
  if (!existsSync(folder)) {
    return []
  }
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return names.map((name) => join(folder, name))
}

/** The ports of all stored planes: those of their APIs, and all. */
export async function portsOf(root: string): Promise<{ apis: number[]; all: number[] }> {
  const stored = await new PlaneStore(root).list()
  const ports = stored.flatMap(({ record }) =>
    record instanceof VplaneError ? [] : [record.ports],
  )
  return { apis: ports.map(({ apiServer }) => apiServer), all: ports.flatMap(Object.values) }
}

/** Those of some ports that a process of this machine listens on. */
export function listenedOn(ports: readonly number[]): number[] {
  const listened = new Set(listeningSockets().map(({ port }) => port))
  return ports.filter((port) => listened.has(port))
}

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resolveSpec } from '../../../../src/control-plane/resolve-spec.ts'
import type { Owner } from '../../../../src/drivers/local/store/plane-record.ts'
import { PlaneStore } from '../../../../src/drivers/local/store/plane-store.ts'

/** A store in a folder of its own, removed at the end. */
export function temporaryStore(): Disposable & { root: string; store: PlaneStore } {
  const root = mkdtempSync(join(tmpdir(), 'vplane-store-'))
  return {
    root,
    store: new PlaneStore(root),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  }
}

/** Stores a plane that nothing was started of. */
export async function storePlane(store: PlaneStore, name: string, owner?: Owner): Promise<void> {
  await store.add({
    formatVersion: 1,
    writtenBy: '',
    id: randomUUID(),
    name,
    createdAt: new Date().toISOString(),
    desired: 'running',
    hasData: false,
    isBootstrapped: true,
    userSpec: {},
    spec: resolveSpec({}),
    ports: { etcdClient: 20_001, etcdPeer: 20_002, apiServer: 20_003, controllerManager: 20_004 },
    bootId: 'of this test',
    ...(owner === undefined ? {} : { owner }),
  })
}

/** Starts a process that the store would find as one of a plane's, by the path in its arguments. */
export async function startPlaneProcess(store: PlaneStore, name: string): Promise<number> {
  const child = spawn(
    process.execPath,
    ['-e', 'setInterval(() => {}, 60000)', '--', `--config=${store.folder(name).root}/x`],
    { stdio: 'ignore' },
  )
  await once(child, 'spawn')
  return child.pid ?? 0
}

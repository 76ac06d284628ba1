import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resolveSpec } from '../../../../src/control-plane/spec/resolve-spec.ts'
import type { Owner } from '../../../../src/drivers/local/store/plane-record.ts'
import { PlaneStore } from '../../../../src/drivers/local/store/plane-store.ts'

/** A store in a temporary folder. */
export function temporaryStore(): Disposable & { root: string; store: PlaneStore } {
  const root = mkdtempSync(join(tmpdir(), 'vplane-store-'))
  return {
    root,
    store: new PlaneStore(root),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  }
}

/** Stores a plane without processes. */
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

/** Starts a process with the command of a plane's etcd. */
export function startPlaneProcess(store: PlaneStore, name: string): Promise<number> {
  const file = join(store.folder(name).configuration, 'etcd.json')
  return startProcess('/opt/bin/etcd', `--config-file=${file}`)
}

/** Starts a process that does nothing, with these words in its command. */
export async function startProcess(...words: string[]): Promise<number> {
  const args = ['-e', 'setInterval(() => {}, 60000)', ...words]
  const child = spawn(process.execPath, args, { stdio: 'ignore' })
  await once(child, 'spawn')
  return child.pid ?? 0
}

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test as base } from 'vitest'
import type { Owner } from '../../../../src/drivers/local/store/plane-record.ts'
import { PlaneStore } from '../../../../src/drivers/local/store/plane-store.ts'
import { planeRecordOf } from '../plane-record-of.ts'

/** Tests with a store in a temporary folder of their own, `root`. */
export const test = base
  .extend('root', ({ onTestFinished }) => {
    const root = mkdtempSync(join(tmpdir(), 'vplane-store-'))
    onTestFinished(() => rmSync(root, { recursive: true, force: true }))
    return root
  })
  .extend('store', ({ root }) => new PlaneStore(root))

/** Stores a plane without processes. */
export async function storePlane(store: PlaneStore, name: string, owner?: Owner): Promise<void> {
  const fields = { isBootstrapped: true, bootId: 'of this test' }
  await store.add(planeRecordOf(name, owner === undefined ? fields : { ...fields, owner }))
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

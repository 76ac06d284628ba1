import { mkdir, readdir, stat, symlink, writeFile } from 'node:fs/promises'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect } from 'vitest'
import { PlaneStore } from '../../../../src/drivers/local/store/plane-store.ts'
import { VplaneError } from '../../../../src/shared/errors.ts'
import { test } from '../guard/stored-plane.ts'
import { planeRecordOf } from '../plane-record-of.ts'

test('has no planes without a folder', async () => {
  const store = new PlaneStore('/nonexistent/vplane')

  expect(await store.list()).toEqual([])
  expect(await store.find('dev')).toBeUndefined()
})

test('stores planes by name, in folders only for their owner', async ({ store }) => {
  const added = await store.add(planeRecordOf('zeta'))
  await store.add(planeRecordOf('alpha'))

  expect((await store.list()).map(({ name }) => name)).toEqual(['alpha', 'zeta'])
  expect(await store.find('zeta')).toMatchObject({ name: 'zeta', record: added })
  const { configuration, logs, processes, root } = store.folder('zeta')
  for (const path of [store.planes, root, configuration, logs, processes]) {
    expect([path, (await stat(path)).mode & 0o777]).toEqual([path, 0o700])
  }
})

test('leaves nothing of a plane that could not be added', async ({ store }) => {
  await store.add(planeRecordOf('dev'))
  await writeFile(join(store.folder('dev').root, 'kept'), '')

  const adding = store.add(planeRecordOf('dev'))

  const message = expect.stringContaining(`cannot write to "${store.planes}": `)
  await expect(adding).rejects.toMatchObject({ code: 'FAILED', message })
  expect(await readdir(store.planes)).toEqual(['dev'])
  expect(await readdir(store.folder('dev').root)).toContain('kept')
})

test('finds nothing or a whole plane while another vplane adds it', async ({ store }) => {
  for (let plane = 0; plane < 50; plane += 1) {
    const record = planeRecordOf(`dev-${plane}`)
    const adding = store.add(record)
    let found = await store.find(record.name)
    while (found === undefined) {
      found = await store.find(record.name)
    }
    expect(found.record).toEqual(await adding)
  }
})

test('replaces a record in one step', async ({ store }) => {
  const record = await store.add(planeRecordOf('dev'))

  await store.update({ ...record, desired: 'paused' })

  expect(await store.find('dev')).toMatchObject({ record: { id: record.id, desired: 'paused' } })
  const drafts = (await readdir(store.folder('dev').root)).filter((name) =>
    /^plane.json./.test(name),
  )
  expect(drafts).toEqual([])
})

test('reports that a record cannot be written', async ({ store }) => {
  await expect(store.update(planeRecordOf('dev'))).rejects.toMatchObject({ code: 'FAILED' })
})

test('removes a plane with all of its files, and accepts one that is gone', async ({ store }) => {
  await store.add(planeRecordOf('dev'))
  await mkdir(join(store.folder('dev').etcdData, 'member'), { recursive: true })
  await writeFile(join(store.folder('dev').etcdData, 'member/db'), 'data')

  await store.remove('dev')
  await store.remove('dev')

  expect(await readdir(store.planes)).toEqual([])
})

test('does not follow a link out of a plane when it removes it', async ({ root, store }) => {
  await store.add(planeRecordOf('dev'))
  await writeFile(join(root, 'precious'), 'x')
  await symlink(root, join(store.folder('dev').root, 'link'))

  await store.remove('dev')

  expect((await readdir(root)).toSorted()).toEqual(['planes', 'precious'])
})

test('lists planes whose records are unreadable, with the reason', async ({ store }) => {
  const record = await store.add(planeRecordOf('whole'))
  await plant(store, 'cut', JSON.stringify(record).slice(0, 40))
  await plant(store, 'damaged', '{}')
  await plant(store, 'newer', JSON.stringify({ ...record, formatVersion: 99, writtenBy: '7.0.0' }))
  await mkdir(join(store.planes, 'missing'))

  const found = await store.list()

  expect(found.map(({ name, record }) => [name, reasonOf(record)])).toEqual([
    ['cut', expect.stringContaining('is damaged: ')],
    ['damaged', expect.stringContaining('fields are missing or of the wrong type')],
    ['missing', `${store.folder('missing').record} is missing`],
    ['newer', expect.stringContaining('vplane 7.0.0 or later is needed')],
    ['whole', undefined],
  ])
})

test('ignores folders that vplane cannot have created', async ({ store }) => {
  await store.add(planeRecordOf('dev'))
  for (const name of ['.git', 'Backup of dev', 'a_b', 'x'.repeat(41), '-dev']) {
    await mkdir(join(store.planes, name))
  }
  await writeFile(join(store.planes, 'file'), '')

  await store.sweep()

  expect((await store.list()).map(({ name }) => name)).toEqual(['dev'])
  expect(await readdir(store.planes)).toHaveLength(7)
})

test('sweeps the leftovers of dead processes, and none of living ones', async ({ store }) => {
  const dead = spawnSync(process.execPath, ['--version']).pid
  const names = {
    left: [`.new-${dead}-0123abcd-dev-x`, `.old-${dead}-0123abcd-dev-x`],
    earlier: [`.old-${process.pid}-0123abcd-dev-x`],
    living: [`.new-${process.ppid}-0123abcd-dev-x`, '.new-', '.old-dev'],
  }
  for (const name of Object.values(names).flat()) {
    await mkdir(join(store.planes, name, 'etcd'), { recursive: true })
  }

  await store.sweep()

  expect((await readdir(store.planes)).toSorted()).toEqual(names.living.toSorted())
})

test('sweeps the locks of deleted planes unless someone holds them', async ({ root, store }) => {
  await store.add(planeRecordOf('dev'))
  await using _held = await store.lock('coming', { signal: new AbortController().signal })
  const locks = join(root, 'locks')
  for (const name of ['dev', 'gone', '.ports']) {
    await writeFile(join(locks, name), '')
  }

  await store.sweep()

  expect((await readdir(locks)).toSorted()).toEqual(['.ports', 'coming', 'dev'])
})

test('sweeps nothing that another store of this process uses', async ({ root, store }) => {
  const other = new PlaneStore(root)

  const adding = Promise.all(
    Array.from({ length: 20 }, (_, index) => store.add(planeRecordOf(`p${index}`))),
  )
  const sweeping = Promise.all(Array.from({ length: 20 }, () => other.sweep()))

  await Promise.all([adding, sweeping])
  expect(await other.list()).toHaveLength(20)
})

test('knows whether someone holds a plane, without holding it', async ({ store }) => {
  const { signal } = new AbortController()

  const before = await store.isHeld('dev')
  const held = await store.lock('dev', { signal })
  const meanwhile = [await store.isHeld('dev'), await store.isHeld('other')]
  await held[Symbol.asyncDispose]()

  expect([before, ...meanwhile, await store.isHeld('dev')]).toEqual([false, true, false, false])
})

async function plant(store: PlaneStore, name: string, text: string): Promise<void> {
  await mkdir(store.folder(name).root, { recursive: true })
  await writeFile(store.folder(name).record, text)
}

function reasonOf(record: unknown): string | undefined {
  return record instanceof VplaneError ? record.message : undefined
}

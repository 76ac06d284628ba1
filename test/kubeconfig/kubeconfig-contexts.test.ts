import { appendFile, copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { PlaneReference } from '../../src/control-plane/plane/plane.ts'
import type { NewContext } from '../../src/control-plane/use-cases/access/contexts.ts'
import { kubeconfigContexts } from '../../src/kubeconfig/kubeconfig-contexts.ts'
import { findVplaneContexts } from '../../src/kubeconfig/contexts/read-contexts.ts'
import { CA, CERTIFICATE, KEY } from './entries.ts'
import { temporaryFolder } from './temporary-folder.ts'

const dev: PlaneReference = { name: 'dev', driver: 'local' }
const hosted = { driver: 'kubernetes', namespace: 'team', hostContext: 'kind' } as const
const shop: PlaneReference = { name: 'shop', ...hosted }
const endpoint = { server: 'https://127.0.0.1:20443', certificateAuthority: CA }
const access = { ...endpoint, certificate: CERTIFICATE, key: KEY, expiresAt: new Date() }
const signal = new AbortController().signal
const KIND =
  'contexts:\n- name: kind\n  context: {cluster: kind, user: kind}\ncurrent-context: kind\n'

test('adds a context with the credential plugin and says where', async () => {
  const { contexts, files } = await kubeconfigs({ config: KIND })

  const written = await contexts.add(newContext(dev), signal)

  expect(written).toEqual({ context: 'vplane_dev', file: files[0], previousContext: 'kind' })
  const text = await readFile(files[0], 'utf8')
  expect(text).toContain('command: "/opt/plugin"')
  expect(text).toContain('- "dev"')
  expect(text).toContain('provideClusterInfo: true')
  expect(findVplaneContexts(text)).toMatchObject([
    { name: 'vplane_dev', extension: { writtenBy: '1.2.3', plane: 'dev', driver: 'local' } },
  ])
})

test.for([
  ['embedded credentials', { kind: 'embedded', access }, `client-key-data: "${btoa(KEY)}"`],
  ['a token', { kind: 'token', token: 'a-token' }, 'token: "a-token"'],
] as const)('adds a context with %s', async ([, user, expected]) => {
  const { contexts, files } = await kubeconfigs({ config: KIND })

  await contexts.add({ plane: dev, endpoint, user }, signal)

  const text = await readFile(files[0], 'utf8')
  expect(text).toContain(expected)
  expect(text).not.toContain('exec')
})

test('names no previous context when there was none or it was the same', async () => {
  const { contexts, files } = await kubeconfigs({ config: '' })

  const first = await contexts.add(newContext(dev), signal)
  const second = await contexts.add(newContext(dev), signal)

  expect(first).toEqual({ context: 'vplane_dev', file: files[0] })
  expect(second).toEqual(first)
})

test('leaves the context of a plane of the same name in another folder', async () => {
  const { contexts, files } = await kubeconfigs({ config: KIND })
  await contexts.add(newContext(dev), signal)
  const before = await readFile(files[0], 'utf8')

  const other = {
    ...dev,
    certificateAuthority: CA.replace('CERTIFICATE-----\n', 'CERTIFICATE-----\nother'),
  }
  const removed = await contexts.remove(other, signal)
  const after = await readFile(files[0], 'utf8')

  expect([removed, after]).toEqual([undefined, before])
  await expect(
    contexts.remove({ ...dev, certificateAuthority: CA }, signal),
  ).resolves.toMatchObject({
    context: 'vplane_dev',
  })
})

test('writes to the first file of a list that exists, and restores all of them', async () => {
  const { contexts, files } = await kubeconfigs({ missing: undefined, a: '# a\n', b: KIND })

  const written = await contexts.add(newContext(dev), signal)
  const removed = await contexts.remove(dev, signal)

  expect(written).toEqual({ context: 'vplane_dev', file: files[1], previousContext: 'kind' })
  expect(removed).toEqual({ context: 'vplane_dev', file: files[1], currentContext: 'kind' })
  expect(await readFile(files[1], 'utf8')).toBe('# a\n')
  expect(await readFile(files[2], 'utf8')).toBe(KIND)
  expect(await readdir(join(files[1], '..'))).toEqual(['a', 'b'])
})

test('removes a file that it created when nothing else is left in it', async () => {
  const { contexts, files } = await kubeconfigs({ config: undefined })
  await contexts.add(newContext(dev), signal)
  await contexts.add(newContext(shop), signal)
  await contexts.add(newContext(dev), signal)

  await contexts.remove(dev, signal)
  const between = await readdir(join(files[0], '..'))
  const removed = await contexts.remove(shop, signal)

  expect(between).toEqual(['config'])
  expect(removed).toEqual({ context: 'vplane_shop_team_kind', file: files[0] })
  expect(await readdir(join(files[0], '..'))).toEqual([])
})

test('removes a file that it created after kubectl has rewritten it', async () => {
  const { contexts, files } = await kubeconfigs({ config: undefined })
  await contexts.add(newContext(dev), signal)
  await appendFile(files[0], 'preferences: {}\n')

  await contexts.remove(dev, signal)

  expect(await readdir(join(files[0], '..'))).toEqual([])
})

test.for([
  ['was there before', '', undefined],
  ['has a comment', undefined, '# mine\n'],
  ['has something else', undefined, 'extensions: [{name: a}]\n'],
] as const)('keeps a file that %s', async ([, before, added]) => {
  const { contexts, files } = await kubeconfigs({ config: before })
  await contexts.add(newContext(dev), signal)
  await appendFile(files[0], added ?? '')

  await contexts.remove(dev, signal)

  expect(await readFile(files[0], 'utf8')).toContain(added ?? '')
  expect(await readFile(files[0], 'utf8')).not.toContain('vplane')
})

test('removes only the file that it created', async () => {
  const { contexts, files } = await kubeconfigs({ own: undefined })
  await contexts.add(newContext(dev), signal)
  const copy = join(files[0], '..', 'copy')
  await copyFile(files[0], copy)

  await contextsOf([files[0], copy]).remove(dev, signal)

  expect(await readdir(join(files[0], '..'))).toEqual(['copy'])
  expect(await readFile(copy, 'utf8')).toBe('')
})

test('returns to a context in another file', async () => {
  const { contexts, files } = await kubeconfigs({ a: 'current-context: kind\n', b: KIND })

  await contexts.add(newContext(dev), signal)
  await contexts.remove(dev, signal)

  expect(await readFile(files[0], 'utf8')).toBe('current-context: kind\n')
})

test('resets the current context in the file that sets it', async () => {
  const { contexts, files } = await kubeconfigs({ b: KIND })
  await contexts.add(newContext(dev), signal)
  const first = join(files[0], '..', 'first')
  await writeFile(first, 'current-context: vplane_dev\n')
  const both = contextsOf([first, files[0]])

  const removed = await both.remove(dev, signal)

  expect(removed?.currentContext).toBe('kind')
  expect(await readFile(first, 'utf8')).toBe('current-context: "kind"\n')
  expect(await readFile(files[0], 'utf8')).toBe(KIND)
})

test('does not touch files that have nothing of vplane', async () => {
  const { contexts, files } = await kubeconfigs({ a: '', b: KIND })
  await contexts.add(newContext(dev), signal)
  await writeFile(`${files[1]}.lock`, '')

  await expect(contexts.remove(dev, signal)).resolves.toMatchObject({ context: 'vplane_dev' })
})

test('removes nothing when there is no such context', async () => {
  const { contexts, files } = await kubeconfigs({ config: KIND })
  await contexts.add(newContext(shop), signal)
  const before = await readFile(files[0], 'utf8')

  expect(await contexts.remove(dev, signal)).toBeUndefined()
  expect(await contexts.remove({ ...shop, namespace: 'other' }, signal)).toBeUndefined()
  expect(await contexts.remove({ name: 'shop', driver: 'local' }, signal)).toBeUndefined()
  expect(await readFile(files[0], 'utf8')).toBe(before)
})

test('removes a context whose record is damaged, by its name', async () => {
  const { contexts, files } = await kubeconfigs({ config: KIND })
  await contexts.add(newContext(dev), signal)
  const text = await readFile(files[0], 'utf8')
  await writeFile(files[0], text.replace('plane: "dev"', 'plane: 1'))

  await expect(contexts.currentPlane()).rejects.toMatchObject({ code: 'FAILED' })
  await expect(contexts.remove(dev, signal)).resolves.toMatchObject({ context: 'vplane_dev' })
  expect(await readFile(files[0], 'utf8')).not.toContain('vplane')
})

test('moves a context to another address', async () => {
  const { contexts, files } = await kubeconfigs({ config: KIND })
  await contexts.add(newContext(dev), signal)
  const there = { ...endpoint, server: 'https://127.0.0.1:5' }

  const moves = [
    await contexts.move(dev, there, signal),
    await contexts.move(dev, there, signal),
    await contexts.move(shop, there, signal),
  ]

  expect(moves).toEqual([true, false, false])
  const found = findVplaneContexts(await readFile(files[0], 'utf8'))
  expect(found).toMatchObject([{ name: 'vplane_dev', server: 'https://127.0.0.1:5' }])
})

test('lists the planes of contexts, and the current one', async () => {
  const { contexts } = await kubeconfigs({ config: KIND })
  expect([await contexts.planes(), await contexts.currentPlane()]).toEqual([[], undefined])

  await contexts.add(newContext(dev), signal)
  await contexts.add(newContext(shop), signal)

  expect(await contexts.planes()).toEqual([dev, shop])
  expect(await contexts.currentPlane()).toEqual(shop)
})

test('uses the current context for the host, unless vplane wrote it or it is missing', async () => {
  const { contexts, files } = await kubeconfigs({ config: KIND })

  expect(await contexts.hostContext()).toBe('kind')
  await contexts.add(newContext(shop), signal)
  expect(await contexts.hostContext()).toBe('kind')
  await contexts.add(newContext(dev), signal)
  expect(await contexts.hostContext()).toBeUndefined()
  await writeFile(files[0], 'current-context: gone\n')
  expect(await contexts.hostContext()).toBeUndefined()
})

test('never uses a context of a newer vplane for a host', async () => {
  const { contexts, files } = await kubeconfigs({ config: KIND })
  await contexts.add(newContext(shop), signal)
  const text = await readFile(files[0], 'utf8')
  await writeFile(files[0], text.replaceAll('formatVersion: 1', 'formatVersion: 7'))

  await expect(contexts.hostContext()).rejects.toMatchObject({ code: 'UNSUPPORTED' })
  expect(await contexts.planes()).toEqual([])
})

test('uses the requested context for the host, and never one of vplane', async () => {
  const { contexts } = await kubeconfigs({ config: KIND })
  const { context } = await contexts.add(newContext(dev), signal)

  expect(await contexts.hostContext('kind')).toBe('kind')
  expect(await contexts.hostContext('not-there')).toBe('not-there')
  await expect(contexts.hostContext(context)).rejects.toMatchObject({
    code: 'USAGE',
    message: expect.stringContaining('which cannot be a host cluster'),
  })
})

test('finds the host behind any number of contexts of vplane', async () => {
  const { contexts, files } = await kubeconfigs({ config: KIND })

  expect(await contexts.hostBehind()).toBe('kind')
  await contexts.add(newContext(dev), signal)
  await contexts.add(newContext({ ...dev, name: 'other' }), signal)
  expect(await contexts.hostBehind()).toBe('kind')
  await contexts.add(newContext({ ...shop, hostContext: 'gone' }), signal)
  expect(await contexts.hostBehind()).toBeUndefined()
  await writeFile(files[0], '')
  expect(await contexts.hostBehind()).toBeUndefined()
})

test('keeps the current context when requested', async () => {
  const { contexts, files } = await kubeconfigs({ config: KIND })

  const written = await contexts.add({ ...newContext(shop), makeCurrent: false }, signal)

  expect(written).toEqual({ context: 'vplane_shop_team_kind', file: files[0] })
  const text = await readFile(files[0], 'utf8')
  expect(findVplaneContexts(text)).toMatchObject([
    { name: 'vplane_shop_team_kind', isCurrent: false, server: endpoint.server },
  ])
  expect(text).toMatch(/^current-context: kind$/m)
  await contexts.remove(shop, signal)
  expect(await readFile(files[0], 'utf8')).toBe(KIND)
})

test('distinguishes planes of one name in several places', async () => {
  const { contexts } = await kubeconfigs({ config: KIND })
  const elsewhere = { ...shop, hostContext: 'work' }
  await contexts.add(newContext(shop), signal)
  await contexts.add(newContext(elsewhere), signal)

  await contexts.remove(shop, signal)

  expect(await contexts.planes()).toEqual([elsewhere])
})

test('renders a kubeconfig without touching the files', async () => {
  const { contexts, files } = await kubeconfigs({ config: KIND })

  const text = contexts.render(newContext(shop))

  expect(findVplaneContexts(text)).toMatchObject([
    { name: 'vplane_shop_team_kind', extension: { namespace: 'team', hostContext: 'kind' } },
  ])
  expect(await readFile(files[0], 'utf8')).toBe(KIND)
})

function newContext(plane: PlaneReference): NewContext {
  return { plane, endpoint, user: { kind: 'plugin' } }
}

function contextsOf(files: readonly string[]) {
  return kubeconfigContexts({
    location: { files },
    writtenBy: '1.2.3',
    plugin: ({ driver, name }) => ({ command: '/opt/plugin', args: [driver, name] }),
  })
}

/** Kubeconfigs with these texts in a folder of their own; one without a text is missing. */
async function kubeconfigs<Name extends string>(texts: Record<Name, string | undefined>) {
  const folder = join(await temporaryFolder(), 'kube')
  await mkdir(folder)
  const path = (name: string | undefined) => join(folder, name ?? '')
  const names = Object.keys(texts)
  for (const [name, text] of Object.entries<string | undefined>(texts)) {
    if (text !== undefined) {
      await writeFile(path(name), text)
    }
  }
  const files: [string, string, string] = [path(names[0]), path(names[1]), path(names[2])]
  return { files, contexts: contextsOf(names.map((name) => path(name))) }
}

import { mkdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isReadable } from '../../../src/control-plane/plane/unreadable-plane.ts'
import { resolveSpec } from '../../../src/control-plane/spec/resolve-spec.ts'
import { planeHandle } from '../../../src/library/handle/plane-handle.ts'
import { silentUi } from '../../../src/shared/ui.ts'
import { FakeDriver } from '../../support/driver/fake-driver.ts'
import { MemoryContexts } from '../../support/memory-contexts.ts'
import { temporaryFolder } from '../../support/machine/temporary-folder.ts'

const NOW = new Date('2026-03-01T12:00:00Z')
const signal = new AbortController().signal

test('has what a client needs', async () => {
  const { access, handle } = await readyPlane()

  expect(handle).toMatchObject({
    name: 'dev',
    version: '1.36.3',
    server: access.server,
    certificateAuthority: access.certificateAuthority,
    kubeconfig: `kubeconfig of dev at ${access.server} by embedded\n`,
  })
  expect(handle).not.toHaveProperty('webhooks')
})

test('adds users with the groups and for the time that are asked for', async () => {
  const { handle } = await readyPlane()

  const jane = await handle.addUser({ name: 'jane', groups: ['a', 'b'], lifetimeMs: 60_000 })

  expect(jane).toEqual({
    name: 'jane',
    kubeconfig: handle.kubeconfig,
    certificate: JSON.stringify({ user: 'jane', groups: ['a', 'b'] }),
    key: 'key of jane',
    expiresAt: new Date('2026-03-01T12:01:00Z'),
  })
})

test('adds users without groups for a day', async () => {
  const { handle } = await readyPlane()

  const jane = await handle.addUser({ name: 'jane' })

  expect(jane.certificate).toBe(JSON.stringify({ user: 'jane', groups: [] }))
  expect(jane.expiresAt).toEqual(new Date('2026-03-02T12:00:00Z'))
})

test('shows logs, or their end', async () => {
  const { handle, inside } = await readyPlane()
  inside.logs.etcd.push('one\n', 'two\n', 'three\n')

  const all = await handle.logs('etcd')
  const end = await handle.logs('etcd', { tail: 2 })

  expect(all.endsWith('one\ntwo\nthree\n')).toBe(true)
  expect(end).toBe('two\nthree\n')
})

test('writes kubeconfig files for this user alone, into the folder of the plane', async () => {
  await using folder = await temporaryFolder()
  const { handle } = await readyPlane(folder.path)
  const place = join(folder.path, 'planes', 'dev')
  await mkdir(place, { recursive: true })
  const jane = await handle.addUser({ name: 'team/jane' })

  const first = await handle.writeKubeconfig()
  const paths = [first, await handle.writeKubeconfig(), await handle.writeKubeconfig(jane)]

  const names = ['kubeconfig', 'kubeconfig', 'kubeconfig_team%2Fjane']
  expect(paths).toEqual(names.map((name) => join(place, name)))
  for (const path of paths) {
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect(await readFile(path, 'utf8')).toBe(handle.kubeconfig)
  }
})

test('writes no kubeconfig for a plane that was stopped', async () => {
  await using folder = await temporaryFolder()
  const { handle } = await readyPlane(folder.path)

  await expect(handle.writeKubeconfig()).rejects.toMatchObject({ code: 'CONTROL_PLANE_NOT_FOUND' })
})

async function readyPlane(root = '/none') {
  const driver = new FakeDriver({ now: () => NOW })
  const userSpec = { version: '1.36.3' }
  const plane = await driver.create(
    { name: 'dev', userSpec, spec: resolveSpec(userSpec), wait: true },
    { ui: silentUi, signal },
  )
  expect(isReadable(plane)).toBe(true)
  const access = {
    ...(await driver.endpoint(plane)),
    ...(await driver.issueCredential(plane, { user: 'admin', groups: [] }, 1000)),
  }
  const api = driver.openApi(access)
  const contexts = new MemoryContexts()
  const handle = planeHandle({ driver, plane, access, api, contexts, webhooks: undefined, root })
  return { access, handle, inside: driver.inside(plane) }
}

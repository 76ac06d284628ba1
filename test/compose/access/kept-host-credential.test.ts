import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { hasCachedHostAccess } from '../../../src/compose/access/access-path.ts'
import { cachedHostCredential } from '../../../src/compose/access/cached-credential.ts'
import { recordedHostAccess } from '../../../src/compose/host/recorded-host-access.ts'
import { VplaneError } from '../../../src/shared/errors.ts'
import { writeProblem } from '../../../src/tunnel/record/tunnel-record.ts'
import {
  KEPT_HOST_PLANE as PLANE,
  keptHostPlane,
} from '../../support/host/planes/kept-host-plane.ts'

const NOW = new Date('2026-06-01T12:00:00Z')
const HOUR_MS = 3_600_000

/** A machine that keeps an access to the plane, and how to ask for it. */
async function machine(options: { server?: string } = {}) {
  const plane = await keptHostPlane({ now: NOW, ...options })
  onTestFinished(() => plane[Symbol.asyncDispose]())
  const kept = (wanted: { now?: Date; server?: string } = {}) =>
    cachedHostCredential(plane.paths, { plane: PLANE, now: NOW, ...wanted })
  return { ...plane, close: plane.stopListening, kept }
}

test('is returned while the tunnel is up, and not when it does not listen', async () => {
  const { access, close, kept, openTunnel } = await machine()
  await openTunnel()

  expect(await kept()).toMatchObject(access)
  await close()
  expect(await kept()).toBeUndefined()
})

test('is returned without a tunnel when the address of the plane answers', async () => {
  const { access, close, kept } = await machine()

  expect(await kept()).toMatchObject(access)
  await close()
  expect(await kept()).toBeUndefined()
})

test('is not returned when it expires soon', async () => {
  const { kept, openTunnel } = await machine()
  await openTunnel()

  expect(await kept({ now: new Date(NOW.getTime() + 20 * HOUR_MS) })).toBeUndefined()
})

test('is not returned when the tunnel needs the user', async () => {
  const { folder, kept, openTunnel } = await machine()
  await openTunnel()
  await writeProblem(folder, new VplaneError('FAILED', 'a login is needed'), NOW)

  expect(await kept()).toBeUndefined()
})

test('has the address that the user gave, when that answers', async () => {
  const { access, kept, port } = await machine({ server: 'https://127.0.0.1:1' })
  const server = `https://localhost:${port}`

  expect(await kept({ server })).toMatchObject({ ...access, server })
  expect(await kept({ server: 'https://127.0.0.1:1' })).toBeUndefined()
})

test('is not returned for another plane', async () => {
  const { paths } = await machine()
  const plane = { ...PLANE, namespace: 'other' }

  expect(await cachedHostCredential(paths, { plane, now: NOW })).toBeUndefined()
})

test('is known by the name of the plane alone', async () => {
  const { home, paths } = await machine()

  expect(hasCachedHostAccess(paths, 'dev')).toBe(true)
  expect(hasCachedHostAccess(paths, 'de')).toBe(false)
  expect(hasCachedHostAccess({ data: join(home, 'nowhere') }, 'dev')).toBe(false)
})

test('records which kubeconfig and variables reached the host', async () => {
  const { home, openTunnel, paths } = await machine()
  const options = { plane: PLANE, environment: { HOME: '/elsewhere', PATH: '/bin' } }

  const before = recordedHostAccess(paths, options)
  await openTunnel()

  expect(before).toBeUndefined()
  expect(recordedHostAccess(paths, options)).toEqual({
    files: [join(home, 'kubeconfig')],
    environment: { HOME: '/home/someone', PATH: '/bin' },
  })
})

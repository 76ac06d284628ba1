import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { accessPathOf } from '../../src/compose/access-path.ts'
import { hasKeptHostAccess } from '../../src/compose/has-kept-host-access.ts'
import { keptHostCredential } from '../../src/compose/kept-host-credential.ts'
import { recordedHostAccess } from '../../src/compose/recorded-host-access.ts'
import { tunnelsRoot } from '../../src/compose/tunnels-root.ts'
import { accessFiles } from '../../src/kubeconfig/access-file.ts'
import { processTableOf } from '../../src/shared/processes/process-table-of.ts'
import { recordOf } from '../../src/shared/processes/process-record.ts'
import { tunnelFolderOf } from '../../src/tunnel/tunnel-folder.ts'
import { writeProblem, writeSettings } from '../../src/tunnel/tunnel-record.ts'
import { VplaneError } from '../../src/shared/errors.ts'
import { temporaryHome } from '../cli/temporary-home.ts'
import { storedPlane } from '../support/some-planes.ts'

const PLANE = storedPlane('dev', {
  driver: 'kubernetes',
  namespace: 'team',
  hostContext: 'admin@my/cluster_1',
})
const NOW = new Date('2026-06-01T12:00:00Z')
const HOUR_MS = 3_600_000

/** A machine that keeps an access to the plane, and somebody who listens at its address. */
async function machine({ server }: { server?: string } = {}) {
  const home = temporaryHome()
  const listener = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
  await once(listener, 'listening')
  onTestFinished(() => {
    home[Symbol.dispose]()
    listener.close()
  })
  const address = listener.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const paths = { data: home.root }
  const access = {
    server: server ?? `https://127.0.0.1:${port}`,
    certificateAuthority: 'the CA',
    certificate: 'a certificate',
    key: 'a key',
    expiresAt: new Date(NOW.getTime() + 24 * HOUR_MS),
  }
  const accesses = accessFiles((plane) => accessPathOf(home.root, plane))
  await accesses.write(PLANE, access)
  const folder = tunnelFolderOf(tunnelsRoot(paths), PLANE)
  const openTunnel = async () => {
    mkdirSync(folder.root, { recursive: true })
    await writeSettings(folder, {
      writtenBy: '1.0.0',
      plane: PLANE,
      address: '127.0.0.1',
      port,
      host: { files: ['/kubeconfig'], environment: { HOME: '/home/somebody' } },
      idleTimeoutMs: 1000,
      revision: 'one',
    })
    const own = recordOf(process.pid, processTableOf(process.platform))
    writeFileSync(folder.serving, JSON.stringify({ ...own, revision: 'one' }))
  }
  const close = async () => {
    listener.close()
    await once(listener, 'close')
  }
  const kept = (options: { now?: Date; server?: string } = {}) =>
    keptHostCredential(paths, { plane: PLANE, now: NOW, ...options })
  return { access, close, folder, home, kept, openTunnel, paths, port }
}

test('is there while the tunnel is up', async () => {
  const { access, kept, openTunnel } = await machine()
  await openTunnel()

  expect(await kept()).toMatchObject(access)
})

test('is there without a tunnel when the plane answers where it was', async () => {
  const { access, close, kept } = await machine()

  expect(await kept()).toMatchObject(access)
  await close()
  expect(await kept()).toBeUndefined()
})

test('is not there when its life is nearly over', async () => {
  const { kept, openTunnel } = await machine()
  await openTunnel()

  expect(await kept({ now: new Date(NOW.getTime() + 20 * HOUR_MS) })).toBeUndefined()
})

test('is not there when the tunnel does not listen', async () => {
  const { close, kept, openTunnel } = await machine()
  await openTunnel()
  await close()

  expect(await kept()).toBeUndefined()
})

test('is not there when somebody has to do something about the tunnel', async () => {
  const { folder, kept, openTunnel } = await machine()
  await openTunnel()
  await writeProblem(folder, new VplaneError('FAILED', 'a login is needed'), NOW)

  expect(await kept()).toBeUndefined()
})

test('goes to the address that the user gave, when that answers', async () => {
  const { access, kept, port } = await machine({ server: 'https://127.0.0.1:1' })
  const server = `https://localhost:${port}`

  expect(await kept({ server })).toMatchObject({ ...access, server })
  expect(await kept({ server: 'https://127.0.0.1:1' })).toBeUndefined()
})

test('is not there for another plane', async () => {
  const { paths } = await machine()
  const plane = { ...PLANE, namespace: 'other' }

  expect(await keptHostCredential(paths, { plane, now: NOW })).toBeUndefined()
})

test('is known by the name of the plane alone', async () => {
  const { home, paths } = await machine()

  expect(hasKeptHostAccess(paths, 'dev')).toBe(true)
  expect(hasKeptHostAccess(paths, 'de')).toBe(false)
  expect(hasKeptHostAccess({ data: join(home.root, 'nowhere') }, 'dev')).toBe(false)
})

test('remembers by which kubeconfig the host was reached, with the variables of then', async () => {
  const { openTunnel, paths } = await machine()
  const options = { plane: PLANE, environment: { HOME: '/elsewhere', PATH: '/bin' } }

  const before = recordedHostAccess(paths, options)
  await openTunnel()

  expect(before).toBeUndefined()
  expect(recordedHostAccess(paths, options)).toEqual({
    files: ['/kubeconfig'],
    environment: { HOME: '/home/somebody', PATH: '/bin' },
  })
})

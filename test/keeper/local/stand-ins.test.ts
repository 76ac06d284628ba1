import { spawn } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { resolveSpec } from '../../../src/control-plane/spec/resolve-spec.ts'
import { StandIns } from '../../../src/keeper/local/stand-ins.ts'
import { storedPlane } from '../../support/driver/some-planes.ts'
import { FakePlaneApi } from '../../support/api/fake-plane-api.ts'
import { freePort } from '../../support/machine/free-port.ts'
import { tlsClientArgs } from '../../support/programs/handshakes.ts'

const spec = resolveSpec({ idle: '5m', wake: { by: 'any' } })
const plane = storedPlane('dev', { spec, desired: 'paused', idleSince: new Date() })

test.runIf(process.platform === 'linux')(
  'examines one client of a plane at a time, and those that come meanwhile wake it no second time',
  async () => {
    const port = await freePort()
    const stop = new AbortController()
    const calls: string[] = []
    await using standIns = new StandIns({
      driver: {
        endpoint: async () => ({ server: `https://127.0.0.1:${port}`, certificateAuthority: '' }),
        find: async () => [plane],
        start: async () => {
          calls.push('start')
          await new Promise((resolve) => stop.signal.addEventListener('abort', resolve))
        },
      },
      wakes: {
        admit: async () => {
          calls.push('admit')
          await delay(500)
        },
        failed: () => {},
        woken: async () => {},
      },
      openApi: () => new FakePlaneApi(),
      log: () => {},
      signal: stop.signal,
    })
    await standIns.follow([plane])
    const client = spawn(process.execPath, tlsClientArgs(port, 30))

    await expect.poll(() => calls).toContain('start')
    await delay(500)
    client.kill()
    stop.abort()

    expect(calls).toEqual(['admit', 'start'])
  },
)

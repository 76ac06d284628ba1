import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { CreateRequest } from '../../../src/control-plane/driver/requests.ts'
import { isReadable } from '../../../src/control-plane/plane/unreadable-plane.ts'
import type { Operation } from '../../../src/control-plane/driver/operation.ts'
import {
  ADMIN,
  COMPONENT_NAMES,
  type ComponentName,
  type Identity,
  type Plane,
} from '../../../src/control-plane/plane/plane.ts'
import type { PlaneApi } from '../../../src/control-plane/api/plane-api.ts'
import { resolveSpec } from '../../../src/control-plane/spec/resolve-spec.ts'
import type { UserSpec } from '../../../src/control-plane/spec/spec.ts'
import { waitUntilReady } from '../../../src/control-plane/use-cases/access/wait-until-ready.ts'
import { waitFor } from '../../../src/shared/wait.ts'
import { describeChanges } from './change-contract.ts'
import { configMapsIn } from '../data/config-maps-in.ts'
import type { DriverHarness } from '../driver/driver-harness.ts'
import { describeMoves } from './move-contract.ts'
import { describePauses } from './pause-contract.ts'
import { describeRestore } from './restore-contract.ts'
import { describeRotation } from './rotation-contract.ts'
import { RecordingUi } from '../driver/recording-ui.ts'
import { rejectionOf } from '../thrown-by.ts'
import { type UserInfo, whoAmI } from '../data/user-info.ts'

const USER_SPEC: UserSpec = { ephemeral: true, apiGroups: 'all' }
const HOUR_MS = 3_600_000

/**
 * The contract of `src/control-plane/driver/driver.ts`, as tests of one implementation. Planes are dear to start: those that
 * only look share one, and those that change share another.
 */
export function describeDriver(name: string, createHarness: () => Promise<DriverHarness>): void {
  describe(`the driver ${name}`, () => {
    const { hasConfigMap, putConfigMap } = configMapsIn((plane) => open(plane, ADMIN))
    const timeoutMs = () => harness.timeoutMs ?? 300_000
    const tools = { operation, putConfigMap, hasConfigMap, waitForPlane }
    let harness: DriverHarness
    let seen: Plane
    let changed: Plane

    beforeAll(async () => {
      harness = await createHarness()
      ;[seen, changed] = await Promise.all([ready('seen'), ready('changed')])
    })
    afterAll(async () => {
      for (const plane of await harness.driver.list({ namespace: harness.host?.namespace })) {
        await harness.driver.remove(plane, operation())
      }
      await harness[Symbol.asyncDispose]()
    })

    describe('with a plane that runs', () => {
      test('finds it by its name, and no other by a similar one', async () => {
        const { driver } = harness

        expect(await driver.find('seen')).toEqual([seen])
        expect(await driver.find('see')).toEqual([])
        expect(await driver.find('seen-')).toEqual([])
        expect(await driver.list()).toContainEqual(seen)
      })

      test('stores what was asked for and what that resolved to', () => {
        expect(seen).toMatchObject({
          name: 'seen',
          driver: harness.driver.name,
          desired: 'running',
        })
        expect(seen.userSpec).toEqual(userSpecOf())
        expect(seen.spec).toEqual(resolveSpec(userSpecOf(), harness.driver.name))
        expect(seen.createdAt.getTime()).toBeLessThanOrEqual(Date.now())
      })

      test('leaves it alone when it is created again, whatever the spec', async () => {
        const before = await instancesOf(seen)

        const again = await create('seen', { ephemeral: false })

        expect(again).toEqual(seen)
        expect(await instancesOf(seen)).toEqual(before)
      })

      test('leaves it alone when it is started again', async () => {
        const before = await instancesOf(seen)

        await harness.driver.start(seen, operation())

        expect(await instancesOf(seen)).toEqual(before)
        expect(before).toHaveLength(COMPONENT_NAMES.length)
        expect(new Set(before).size).toBe(COMPONENT_NAMES.length)
      })

      test('says that it is ready, and how each component is', async () => {
        // Its API is when it was made; the others say so of themselves a moment later.
        const look = async () => {
          const found = await harness.driver.status(seen)
          return found.phase === 'Ready' && found
        }
        const status = await waitFor(look, { what: 'a ready plane', timeoutMs: timeoutMs() })

        expect(status.reason).toBeUndefined()
        expect(status.components.map((component) => component.name)).toEqual([...COMPONENT_NAMES])
        expect(status.components.map(({ state }) => state)).toEqual([
          'running',
          'running',
          'running',
        ])
        expect(status.components.every(({ startedAt }) => startedAt instanceof Date)).toBe(true)
        expect(status.certificatesExpireAt?.getTime()).toBeGreaterThan(Date.now())
        expect(status.server).toBe((await harness.driver.endpoint(seen)).server)
        await expect
          .poll(() => harness.driver.diagnose(seen, operation().signal))
          .toEqual({ faults: [] })
      })

      test('lists its certificates, and issues leaves again while it runs', async () => {
        const { certificates } = harness.driver
        const before = await certificates.list(seen)
        const instances = await instancesOf(seen)

        const issued = await certificates.renewLeaves(seen, operation())
        const after = await certificates.list(seen)

        const leaves = before.filter(({ kind }) => kind === 'leaf').map((one) => one.name)
        expect(leaves).toContain('apiserver')
        expect(issued.toSorted()).toEqual(leaves)
        expect(after.filter(({ kind }) => kind !== 'leaf')).toEqual(
          before.filter(({ kind }) => kind !== 'leaf'),
        )
        expect(await instancesOf(seen)).toEqual(instances)
        expect((await whoIs(seen, ADMIN)).username).toBe(ADMIN.user)
      })

      test('sees in a moment that it runs, and that no component has ended', async () => {
        expect(await harness.driver.isRunning(seen)).toBe(true)
        expect(await harness.driver.isRunning(seen, ['etcd'])).toBe(true)
        await expect.poll(() => harness.driver.checkComponents(seen)).toBeUndefined()
      })

      test('issues credentials that the API takes for whom they are', async () => {
        const identity = { user: 'jane:doe', groups: ['developers', 'ops'] }

        const { groups, username } = await whoIs(seen, identity)

        expect(username).toBe('jane:doe')
        expect(groups).toEqual(
          expect.arrayContaining(['developers', 'ops', 'system:authenticated']),
        )
        expect(groups).not.toContain('system:masters')
      })

      test('issues credentials that end when they were told to', async () => {
        const { expiresAt } = await harness.driver.issueCredential(seen, ADMIN, HOUR_MS)

        expect(Math.abs(expiresAt.getTime() - Date.now() - HOUR_MS)).toBeLessThan(60_000)
      })

      test('reads the logs of each component, whole and their ends', async () => {
        for (const component of COMPONENT_NAMES) {
          // It may write a line between two looks.
          const isEnd = async () =>
            (await logOf(seen, component)).endsWith(await logOf(seen, component, 1))

          await expect.poll(isEnd, { timeout: 60_000 }).toBe(true)
          expect((await logOf(seen, component, 1)).trimEnd().split('\n')).toHaveLength(1)
          expect(await logOf(seen, component, 0)).toBe('')
        }
        expect(await logOf(seen, 'kube-apiserver')).not.toBe('')
      })

      test('follows a log until it is told to stop', async () => {
        const stop = new AbortController()
        const request = { component: 'kube-apiserver', follow: true } as const
        let text = ''

        for await (const lines of harness.driver.logs(seen, request, stop.signal)) {
          text += lines.text
          stop.abort()
        }

        expect(text).not.toBe('')
      })
    })

    describe('with a plane that changes', () => {
      beforeEach(async () => {
        await harness.driver.start(changed, operation())
        await waitForPlane(changed)
      })

      test('keeps the data of a paused plane, and starts it again', async () => {
        await putConfigMap(changed, 'rested')
        const phases: string[] = []

        for (const again of [false, true]) {
          await harness.driver.pause(changed, operation())
          const status = await harness.driver.status(changed)
          phases.push(status.phase, ...status.components.map(({ state }) => state), String(again))
        }
        const [paused] = await harness.driver.find('changed')
        const isRunning = await harness.driver.isRunning(changed)
        const silence = await rejectionOf(whoIs(changed, ADMIN))
        await harness.driver.start(changed, operation())
        await waitForPlane(changed)

        const rest = ['Paused', 'stopped', 'stopped', 'stopped']
        expect(phases).toEqual([...rest, 'false', ...rest, 'true'])
        expect(paused).toMatchObject({ id: changed.id, desired: 'paused' })
        expect(isRunning).toBe(false)
        expect(['UNREACHABLE', 'TIMED_OUT']).toContain(silence.code)
        expect(await harness.driver.find('changed')).toMatchObject([{ desired: 'running' }])
        expect(await hasConfigMap(changed, 'rested')).toBe(true)
      })

      test.for(COMPONENT_NAMES)(
        'says that %s has ended, and starts it again',
        async (component) => {
          await putConfigMap(changed, `survived-${component}`)
          const before = await instancesOf(changed)

          await harness.kill(changed, component)
          const failure = await rejectionOf(harness.driver.checkComponents(changed))
          const { components, phase, reason } = await harness.driver.status(changed)
          const isRunning = await harness.driver.isRunning(changed)
          await harness.driver.start(changed, operation())
          await waitForPlane(changed)

          expect(failure.code).toBe('COMPONENT_FAILED')
          expect(failure.message).toContain(`${component} of "changed" has ended`)
          expect(phase).not.toBe('Ready')
          expect(reason).toBeDefined()
          expect(components.find(({ name }) => name === component)?.state).toBe('failed')
          expect(isRunning).toBe(false)
          expect(await hasConfigMap(changed, `survived-${component}`)).toBe(true)
          expect(await instancesOf(changed)).not.toEqual(before)
        },
      )

      describeChanges(() => ({ ...harness, plane: changed, ...tools }))
      describeRestore(() => ({ driver: harness.driver, plane: changed, ...tools }))
      describeRotation(() => ({ driver: harness.driver, plane: changed, ...tools }))
      describePauses(() => ({ driver: harness.driver, plane: changed, requestFor, ...tools }))
      describeMoves(() => ({ driver: harness.driver, make: ready, ...tools }))

      test('continues with a plane of which nothing runs any more', async () => {
        await putConfigMap(changed, 'rebooted')

        for (const component of COMPONENT_NAMES) {
          await harness.kill(changed, component)
        }
        const { phase } = await harness.driver.status(changed)
        await create('changed')
        await waitForPlane(changed)

        expect(phase).toBe('Stopped')
        expect(await hasConfigMap(changed, 'rebooted')).toBe(true)
      })
    })

    describe('when planes come and go', () => {
      test('knows nothing of what was never made', async () => {
        expect(await harness.driver.find('never')).toEqual([])
      })

      test('removes all of a plane, and takes a second time for done', async () => {
        const { driver } = harness
        const plane = await ready('gone')
        await putConfigMap(plane, 'old')

        const leftovers = [
          await driver.remove(plane, operation()),
          await driver.remove(plane, operation()),
        ]

        expect(leftovers).toEqual([[], []])
        expect(await driver.find('gone')).toEqual([])
        expect((await driver.list()).map((one) => one.name)).not.toContain('gone')
        expect((await rejectionOf(driver.status(plane))).code).toBe('CONTROL_PLANE_NOT_FOUND')
        const start = driver.start(plane, operation())
        expect((await rejectionOf(start)).code).toBe('CONTROL_PLANE_NOT_FOUND')

        const next = await ready('gone')
        expect(next.id).not.toBe(plane.id)
        expect(await hasConfigMap(next, 'old')).toBe(false)
        expect((await rejectionOf(driver.status(plane))).code).toBe('CONTROL_PLANE_NOT_FOUND')
        expect(await driver.remove(next, operation())).toEqual([])
      })

      test('lists a plane that it cannot read among the others, and removes it', async () => {
        const { driver } = harness
        const plane = await create('damaged')
        await harness.damage(plane)

        const listed = await driver.list()
        const [found] = await driver.find('damaged')

        expect(listed.filter(isReadable).map((one) => one.name)).toContain('seen')
        expect(listed.find((one) => one.name === 'damaged')).toEqual(found)
        expect(found).toMatchObject({ name: 'damaged', driver: driver.name })
        expect(found !== undefined && !isReadable(found) && found.reason).toMatch(/\w/)
        await expect(create('damaged')).rejects.toMatchObject({ code: 'FAILED' })
        expect(await driver.remove(found ?? plane, operation())).toEqual([])
        expect(await driver.find('damaged')).toEqual([])
      })

      test('makes several at once, and one when several want the same', async () => {
        const { driver } = harness

        const planes = await Promise.all(['twin', 'twin', 'other'].map((one) => ready(one)))
        const servers = await Promise.all(
          planes.map(async (one) => (await driver.endpoint(one)).server),
        )
        const [first, second, other] = planes
        const removals = await Promise.all(
          [first, second, other].flatMap((one) => (one ? [driver.remove(one, operation())] : [])),
        )

        expect(first?.id).toBe(second?.id)
        expect(new Set(servers).size).toBe(2)
        expect(removals).toEqual([[], [], []])
      })

      test('stops at once when it is told to', async () => {
        const { driver } = harness
        const signal = AbortSignal.abort()
        const request = requestFor('stopped', {})

        await expect(driver.create(request, { ...operation(), signal })).rejects.toThrow(/./)

        for (const plane of await driver.find('stopped')) {
          expect(await driver.remove(plane, operation())).toEqual([])
        }
        expect(await driver.find('stopped')).toEqual([])
      })
    })

    function operation(): Operation {
      return { ui: new RecordingUi(), signal: AbortSignal.timeout(timeoutMs()) }
    }

    function userSpecOf(): UserSpec {
      return harness.userSpec ?? USER_SPEC
    }

    function requestFor(plane: string, userSpec: UserSpec = userSpecOf()): CreateRequest {
      const { driver, host } = harness
      const spec = resolveSpec(userSpec, driver.name)
      return { name: plane, userSpec, spec, wait: true, ...(host === undefined ? {} : { host }) }
    }

    async function create(plane: string, userSpec?: UserSpec): Promise<Plane> {
      return harness.driver.create(requestFor(plane, userSpec), operation())
    }

    async function ready(plane: string): Promise<Plane> {
      const created = await create(plane)
      await waitForPlane(created)
      return created
    }

    /** @param isUnderWay whether an operation waits for the plane, whose status that may be. @default false */
    async function waitForPlane(plane: Plane, { isUnderWay = false } = {}): Promise<void> {
      await using api = await open(plane, ADMIN)
      const waiting = { driver: harness.driver, plane, api, timeoutMs: timeoutMs() }
      await waitUntilReady({ ...waiting, signal: operation().signal })
      const phases = isUnderWay ? ['Ready', 'Changing'] : ['Ready']
      const isReady = async () => phases.includes((await harness.driver.status(plane)).phase)
      await waitFor(isReady, {
        what: `the status of "${plane.name}"`,
        timeoutMs: timeoutMs(),
      })
    }

    async function open(plane: Plane, identity: Identity): Promise<PlaneApi> {
      const { driver } = harness
      const credential = await driver.issueCredential(plane, identity, HOUR_MS)
      return harness.openApi({ ...(await driver.endpoint(plane)), ...credential })
    }

    async function whoIs(plane: Plane, identity: Identity): Promise<UserInfo> {
      await using api = await open(plane, identity)
      return await whoAmI(api)
    }

    async function instancesOf(plane: Plane): Promise<string[]> {
      const { components } = await harness.driver.status(plane)
      return components.map(
        ({ instance = '', startedAt }) => `${instance} since ${startedAt?.toISOString()}`,
      )
    }

    async function logOf(plane: Plane, component: ComponentName, tail?: number): Promise<string> {
      const request = { component, follow: false, tail }
      const lines = harness.driver.logs(plane, request, new AbortController().signal)
      return (await Array.fromAsync(lines, ({ text }) => text)).join('')
    }
  })
}

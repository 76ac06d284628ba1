import { expect, test } from 'vitest'
import { messageOf, VplaneError } from '../../src/shared/errors.ts'
import type { WatchOptions } from '../../src/kube/client/watch.ts'
import { openCaches } from '../../src/syncer/open-caches.ts'
import type { Rules } from '../../src/syncer/scope/settings.ts'
import { SCOPE, virtualObject } from './translate/some-objects.ts'

test('asks neither side for a kind that is switched off', async () => {
  const { asked, cachesWith } = watched()
  const { ingresses, networkpolicies } = cachesWith({ kinds: { ingresses: false } })
  const stop = new AbortController()

  const ended = [ingresses.host, ingresses.virtual, networkpolicies.host].map((cache) =>
    cache.run(stop.signal),
  )
  await Promise.all([ingresses.host.listed, ingresses.virtual.listed])
  stop.abort()

  expect((await Promise.allSettled(ended)).map(({ status }) => status)).toEqual(
    Array.from(ended, () => 'rejected'),
  )
  expect(asked).toEqual(['/apis/networking.k8s.io/v1/namespaces/team-a/networkpolicies'])
})

test('says once that a right is missing, and syncs the other kinds', async () => {
  const { cachesWith, reports } = watched()
  const { ingresses } = cachesWith({})

  await expect(ingresses.host.run(AbortSignal.timeout(5000))).rejects.toThrow('has ended')

  await expect(ingresses.host.listed).resolves.toBeUndefined()
  expect(reports).toEqual(['ingresses are not synced: forbidden'])
})

test('fails without a right that no plane with pods can do without', async () => {
  const { cachesWith } = watched()
  const { pods } = cachesWith({})

  await expect(pods.host.run(AbortSignal.timeout(5000))).rejects.toThrow('forbidden')
})

test('says for which object a listener has failed, and continues', async () => {
  const reports: string[] = []
  const client = {
    async *watch() {
      yield { type: 'ADDED', object: virtualObject('Pod') }
    },
  }
  const { pods } = openCaches(SCOPE, {
    // As narrow as it is used.
    host: Object(client),
    plane: Object(client),
    now: new Date(),
    rules: {},
    onError: (what, error) => reports.push(`${what}: ${messageOf(error)}`),
  })
  pods.virtual.onChange(() => {
    throw new Error('too large')
  })

  await expect(pods.virtual.run(AbortSignal.timeout(5000))).rejects.toThrow('has ended')

  expect(reports).toEqual(['Pod "shop/web": too large'])
})

/** Caches of API servers that deny everything twice, and what they were asked. */
function watched() {
  const asked: string[] = []
  const reports: string[] = []
  const denial = new VplaneError('FAILED', 'forbidden')
  const client = {
    // oxlint-disable-next-line require-yield -- it denies
    async *watch(path: string, { onDenied }: WatchOptions) {
      asked.push(path)
      if (onDenied === undefined) {
        throw denial
      }
      onDenied(denial)
      onDenied(denial)
    },
  }
  const cachesWith = (rules: Rules) =>
    openCaches(SCOPE, {
      // As narrow as it is used.
      host: Object(client),
      plane: Object(client),
      now: new Date(),
      rules,
      onError: (what, error) => reports.push(`${what}: ${String(Object(error).message)}`),
    })
  return { asked, reports, cachesWith }
}

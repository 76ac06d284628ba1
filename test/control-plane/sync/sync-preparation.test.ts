import { expect, test } from 'vitest'
import type { PlaneApi } from '../../../src/control-plane/api/plane-api.ts'
import { SyncPreparation } from '../../../src/control-plane/sync/sync-preparation.ts'
import { VplaneError } from '../../../src/shared/errors.ts'
import { waitFor } from '../../../src/shared/wait.ts'

const RANGES = { host: '10.96.0.0/16', own: '10.96.7.8/29' }
const { signal } = new AbortController()
/** What the syncer needs in its plane: roles, bindings, a flow schema, a range of addresses, a Service. */
const OBJECTS = 7
const NOT_YET = new VplaneError('FAILED', 'not yet ready to handle request')

/** An API that refuses what it is asked to apply until it is ready. */
function startingApi() {
  const state = { asked: 0, isReady: false }
  const apply: PlaneApi['apply'] = (_path, object) => {
    state.asked += 1
    return state.isReady ? Promise.resolve(object) : Promise.reject(NOT_YET)
  }
  return { ...withApply(apply), state }
}

/** One that has nothing yet but what it is given. */
function withApply(apply: PlaneApi['apply']) {
  return {
    apply,
    get: () => Promise.resolve(undefined),
    patch: () => Promise.reject(NOT_YET),
    delete: () => Promise.resolve(false),
  }
}

async function asked(state: { asked: number }, times: number): Promise<void> {
  await waitFor(() => Promise.resolve(state.asked >= times), {
    what: 'the API to be asked',
    timeoutMs: 3000,
    intervalMs: 1,
  })
}

test('tries again what an API that starts does not take, and then leaves it', async () => {
  const { state, ...api } = startingApi()
  using preparation = new SyncPreparation(api, RANGES)

  preparation.begin()
  preparation.begin()
  await asked(state, 2 * OBJECTS + 1)
  state.isReady = true
  const before = state.asked
  await asked(state, before + OBJECTS)
  await preparation.complete(signal)

  expect(state.asked).toBe(before + OBJECTS)
})

test('does it when the API is ready where nothing was tried before', async () => {
  const { state, ...api } = startingApi()
  state.isReady = true
  using preparation = new SyncPreparation(api, RANGES)

  await preparation.complete(signal)

  expect(state.asked).toBe(OBJECTS)
})

test('says what an API refuses that is ready', async () => {
  const { state, ...api } = startingApi()
  using preparation = new SyncPreparation(api, RANGES)

  preparation.begin()
  await asked(state, OBJECTS)

  await expect(preparation.complete(signal)).rejects.toBe(NOT_YET)
})

test('lets go of what it asks when nobody waits any longer', async () => {
  const signals: Array<AbortSignal | undefined> = []
  const apply: PlaneApi['apply'] = (_path, object, options) => {
    signals.push(options?.signal)
    return Promise.resolve(object)
  }
  {
    using preparation = new SyncPreparation(withApply(apply), RANGES)
    preparation.begin()
  }

  expect(signals.length).toBeGreaterThan(0)
  expect(signals.every((one) => one?.aborted)).toBe(true)
})

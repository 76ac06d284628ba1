import { expect, test } from 'vitest'
import { parseSpec, setSpecFields } from '../../../../src/control-plane/spec/parse-spec.ts'
import { withoutHostFields } from '../../../../src/control-plane/spec/resolve-host-spec.ts'
import { resolveSpec } from '../../../../src/control-plane/spec/resolve-spec.ts'
import { thrownBy } from '../../../support/thrown-by.ts'

const STORE = 's3://backups/planes'

test('fills in how many backups stay, each by itself', () => {
  const set = ['backup.schedule=daily', 'backup.keep.daily=30']

  expect(resolveSpec(parseSpec({ set })).backup).toEqual({
    schedule: 'daily',
    keep: { hourly: 24, daily: 30, weekly: 4 },
  })
})

test('gives a plane in a host cluster a keeper when it is backed up, and none otherwise', () => {
  const user = parseSpec({ set: ['backup.schedule=0 3 * * *', `backup.store=${STORE}`] })
  const without = setSpecFields(user, ['backup-'])

  expect(resolveSpec(user, 'kubernetes').host?.keeper?.replicas).toBe(1)
  expect(resolveSpec(without, 'kubernetes').host?.keeper).toBeUndefined()
})

test.for([
  ['backup.schedule=sometimes', 'is neither "hourly"'],
  ['backup.store=/var/backups', 'is not a location such as "s3://BUCKET/PREFIX"'],
  ['backup.keep.daily=-1', 'must be at least 0'],
] as const)('refuses %s', ([pair, message]) => {
  const set = ['backup.schedule=daily', pair]

  expect(thrownBy(() => parseSpec({ set }))).toMatchObject({
    code: 'INVALID_SPEC',
    message: expect.stringContaining(`"${pair}": ${message}`),
  })
})

test.for([
  ['kubernetes', { schedule: 'daily' }, '"backup" needs a "store"'],
  ['local', { schedule: 'daily', store: STORE, secret: 's3' }, 'does not support "backup.secret"'],
] as const)('refuses for the driver %s what it cannot do: %j', ([driver, backup, message]) => {
  expect(thrownBy(() => resolveSpec({ backup }, driver))).toMatchObject({
    code: 'INVALID_SPEC',
    message: expect.stringContaining(message),
  })
})

test('leaves the Secret of the host behind with all else that is of it', () => {
  const backup = { schedule: 'daily', store: STORE, secret: 's3' }

  expect(withoutHostFields({ backup, keeper: {} })).toEqual({
    backup: { schedule: 'daily', store: STORE },
  })
})

import { expect, test } from 'vitest'
import { withUserHints, userHints, VplaneError } from '../../../src/library/types/user-error.ts'
import { VplaneError as AnyError } from '../../../src/shared/errors.ts'
import type { Hint } from '../../../src/shared/hint.ts'

const plane = { name: 'test-1' }

test.for<[Hint, string[]]>([
  ['set TMPDIR to another folder', ['set TMPDIR to another folder']],
  [{ action: 'logs', plane, what: 'etcd' }, ["plane.logs('etcd')"]],
  [{ action: 'resume', plane }, [expect.stringContaining('startControlPlane()')]],
  [{ action: 'delete', plane }, [expect.stringContaining('plane.stop()')]],
  [{ action: 'examine-machine' }, ['npx vplane doctor']],
  [{ purpose: 'own ones', binDir: 'DIR' }, ["own ones: startControlPlane({ binDir: 'DIR' })"]],
  [{ binDir: false }, ['leave out binDir']],
  [{ set: 'etcd.prefix=/x' }, ['in the spec: etcd.prefix=/x']],
  [{ action: 'describe', plane }, []],
  [{ driver: 'kubernetes' }, []],
])('converts %j for users of the library', ([hint, texts]) => {
  expect(userHints(hint)).toEqual(texts)
})

test('gives errors with texts, and the same error', async () => {
  const hints: Hint[] = ['wait', { action: 'logs', plane, what: 'etcd' }]
  const error = new AnyError('FAILED', 'no', { hints })

  await expect(withUserHints(Promise.reject(error))).rejects.toBe(error)

  expect(error).toBeInstanceOf(VplaneError)
  expect(error).toMatchObject({ hints: ['wait', "plane.logs('etcd')"] })
})

test('passes on what is no error of it, and what comes of work', async () => {
  const error = new Error('no')

  await expect(withUserHints(Promise.reject(error))).rejects.toBe(error)
  expect(await withUserHints(Promise.resolve(1))).toBe(1)
})

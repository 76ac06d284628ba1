import { expect, test } from 'vitest'
import { HELPER_IMAGE, helperImageOf } from '../../../src/control-plane/spec/helper-image.ts'
import { resolveSpec } from '../../../src/control-plane/spec/resolve-spec.ts'
import type { UserSpec } from '../../../src/control-plane/spec/spec.ts'

const BACKUP = { backup: { schedule: 'daily', store: 's3://backups' } } as const

test.for<[string, UserSpec, string]>([
  ['that of upstream', {}, HELPER_IMAGE],
  ['the one of the spec', { images: { helper: 'mine' }, sync: { image: 'other' } }, 'mine'],
  ['that of its syncer', { sync: { image: 'mine' }, ...BACKUP }, 'mine'],
  ['that of its keeper', { keeper: { image: 'mine' }, sync: {}, ...BACKUP }, 'mine'],
])('is %s', ([, userSpec, image]) => {
  expect(helperImageOf(resolveSpec(userSpec, 'kubernetes'))).toBe(image)
})

test('runs syncer and keeper too, where the spec says nothing else of them', () => {
  const images = { helper: 'mine' }

  const { host } = resolveSpec({ images, sync: {}, ...BACKUP }, 'kubernetes')
  const said = resolveSpec(
    { images, sync: { image: 'syncer' }, keeper: { image: 'keeper' }, ...BACKUP },
    'kubernetes',
  )

  expect([host?.sync?.image, host?.keeper?.image]).toEqual(['mine', 'mine'])
  expect([said.host?.sync?.image, said.host?.keeper?.image]).toEqual(['syncer', 'keeper'])
})

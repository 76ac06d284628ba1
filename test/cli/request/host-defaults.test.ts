import { expect, test } from 'vitest'
import { withHostDefaults } from '../../../src/cli/request/host-defaults.ts'

const SETTINGS = { preset: 'small', storageClass: 'fast', imageRegistry: 'mirror' } as const

test('fills in what the spec does not say', () => {
  expect(withHostDefaults({ apiGroups: 'lean' }, SETTINGS)).toEqual({
    apiGroups: 'lean',
    preset: 'small',
    storage: { className: 'fast' },
    images: { registry: 'mirror' },
  })
})

test('lets the spec win, field by field', () => {
  const spec = {
    preset: 'ha',
    storage: { className: 'slow', size: '2Gi' },
    images: { pullPolicy: 'Never' },
  } as const

  expect(withHostDefaults(spec, SETTINGS)).toEqual({
    ...spec,
    images: { registry: 'mirror', pullPolicy: 'Never' },
  })
})

test('puts the image of vplane itself in place, unless the spec does', () => {
  const settings = { helperImage: 'mirror/node' }

  expect(withHostDefaults({}, settings)).toEqual({ images: { helper: 'mirror/node' } })
  expect(withHostDefaults({ images: { helper: 'mine' } }, settings)).toEqual({
    images: { helper: 'mine' },
  })
})

test('says nothing of volumes for a plane that has none, and nothing at all without settings', () => {
  expect(withHostDefaults({ ephemeral: true }, { storageClass: 'fast' })).toEqual({
    ephemeral: true,
  })
  expect(withHostDefaults({}, {})).toEqual({})
})

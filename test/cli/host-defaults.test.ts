import { expect, test } from 'vitest'
import { withHostDefaults } from '../../src/cli/host-defaults.ts'

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

test('says nothing of volumes for a plane that has none, and nothing at all without settings', () => {
  expect(withHostDefaults({ ephemeral: true }, { storageClass: 'fast' })).toEqual({
    ephemeral: true,
  })
  expect(withHostDefaults({}, {})).toEqual({})
})

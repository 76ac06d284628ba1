import { expect, test } from 'vitest'
import { keeperEnvironment } from '../../../src/compose/launcher/keeper-environment.ts'

test('has what backups, proxies and downloads need, and no other variables', () => {
  const needed = {
    HOME: '/home/ada',
    AWS_PROFILE: 'team-a',
    VPLANE_HOME: '/home/ada/vplane',
    VPLANE_MIRROR: 'https://mirror.example.com',
    VPLANE_OFFLINE: '1',
  }

  expect(keeperEnvironment({ ...needed, VPLANE_TIMEOUT: '1s', NPM_TOKEN: 'hush' })).toEqual(needed)
})

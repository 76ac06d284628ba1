import { defineConfig } from 'vitest/config'
import { labsAtOnce } from './lab/shared-labs.ts'

const shared = {
  restoreMocks: true,
  unstubEnvs: true,
  disableConsoleIntercept: true,
  // A second, as it is by default, is not much for a machine that does other things too.
  expect: { poll: { timeout: 20_000 } },
}

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    sequence: { shuffle: true },
    projects: [
      {
        test: {
          ...shared,
          name: 'unit',
          include: ['test/**/*.test.ts'],
          maxWorkers: '100%',
          // Files share what they import: half of the CPU. None of them mocks a module.
          isolate: false,
          testTimeout: 30_000,
        },
      },
      {
        test: {
          ...shared,
          name: 'integration',
          include: ['test/**/*.integration.ts'],
          // They wait half of their time.
          maxWorkers: 2,
          testTimeout: 120_000,
          hookTimeout: 1_800_000,
          globalSetup: ['test/support/prepare-build.ts', 'test/support/prepare-binaries.ts'],
        },
      },
      {
        test: {
          ...shared,
          name: 'lab',
          include: ['test/**/*.lab.ts'],
          maxWorkers: labsAtOnce(process.env),
          testTimeout: 180_000,
          hookTimeout: 3_600_000,
          globalSetup: ['test/support/prepare-build.ts', 'test/lab/share-lab.ts'],
        },
      },
    ],
  },
})

import { defineConfig } from 'vitest/config'

const shared = {
  restoreMocks: true,
  unstubEnvs: true,
  disableConsoleIntercept: true,
}

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    sequence: { shuffle: true },
    projects: [
      { test: { ...shared, name: 'unit', include: ['test/**/*.test.ts'], testTimeout: 10_000 } },
      {
        test: {
          ...shared,
          name: 'integration',
          include: ['test/**/*.integration.ts'],
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 1_800_000,
          globalSetup: ['test/support/prepare-binaries.ts'],
        },
      },
      {
        test: {
          ...shared,
          name: 'lab',
          include: ['test/**/*.lab.ts'],
          fileParallelism: false,
          testTimeout: 180_000,
          hookTimeout: 3_600_000,
          globalSetup: ['test/lab/share-lab.ts'],
        },
      },
    ],
  },
})

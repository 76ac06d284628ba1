/** The release of kine that new planes with its stores get. */
export const KINE_VERSION = '0.17.2'

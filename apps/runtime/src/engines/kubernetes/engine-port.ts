/** The port that the official image listens at. */
export const ENGINE_PORT = 4_000;

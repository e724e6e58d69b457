import { AppError } from '@plinth/errors';
import { translateError, UniqueViolation } from './database-error';

const failure = (fields: object): Error => Object.assign(new Error('internal detail'), fields);

describe(translateError.name, () => {
  it.each(['ECONNREFUSED', '57P01', '57P03', '08006', '53300', '53100'])(
    'says unavailable for %s, without the detail',
    (code) => {
      const translated = translateError(failure({ code })) as AppError;
      expect(translated).toMatchObject({ code: 'service.unavailable', retryAfterSeconds: 1 });
      expect(translated.message).not.toContain('internal detail');
    },
  );

  it.each(['40001', '40P01', '23503'])('says of %s that two changes met, which is no failure', (code) => {
    const translated = translateError(failure({ code })) as AppError;
    expect(translated).toMatchObject({
      code: 'service.collision',
      status: 503,
      retryAfterSeconds: 1,
      isFailure: false,
    });
  });

  it('says unavailable when the pool has no free connection in time', () => {
    const error = new Error('timeout exceeded when trying to connect');
    expect(translateError(error)).toMatchObject({ code: 'service.unavailable' });
  });

  it('says that a statement took too long', () => {
    expect(translateError(failure({ code: '57014' }))).toMatchObject({ code: 'service.deadline_exceeded' });
  });

  it('names the constraint of a taken value', () => {
    const translated = translateError(failure({ code: '23505', constraint: 'note_text_unique' }));
    expect(translated).toBeInstanceOf(UniqueViolation);
    expect(translated).toMatchObject({ constraint: 'note_text_unique' });
  });

  it.each([new AppError('merge.conflict', 'x'), failure({ code: '42P01' }), 'text', null])(
    'leaves %p as it is',
    (error) => {
      expect(translateError(error)).toBe(error);
    },
  );
});

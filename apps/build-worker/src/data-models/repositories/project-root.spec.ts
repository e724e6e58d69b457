import { AppError } from '@plinth/errors';
import { requestedRoot } from './project-root';

describe('the project folder that a request names', () => {
  it.each(['..', '../shop', 'shop/../..', 'shop//model', '.git', 'shop\\model', 'a\u0000b'])(
    'is refused with 400 and the name of its field when it is %j',
    (spelling) => {
      const refusal = (): unknown => {
        try {
          return requestedRoot(spelling);
        } catch (error) {
          return AppError.from(error);
        }
      };
      expect(refusal()).toMatchObject({
        status: 400,
        code: 'request.invalid',
        details: [{ path: '/body/deployProjectRoot' }],
      });
    },
  );

  it.each(['', ' ', '/', '.', './', '//'])('is the root of the repository when it is %j', (spelling) => {
    expect(requestedRoot(spelling)).toBe('');
  });

  it.each(['shop/model', '/shop/model', './shop/model', 'shop/model/', ' /shop/model// '])(
    'is one folder however it is spelt, here as %j',
    (spelling) => {
      expect(requestedRoot(spelling)).toBe('shop/model');
    },
  );
});
